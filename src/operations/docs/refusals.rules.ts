import type { Refusals } from '../../base/http/api-answers.js';

/** The parts of an operation that decide how it can refuse. */
export interface OperationForm {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  credential: 'api_key' | 'operator_token' | 'session' | null;
  /** Whether a session of the console needs a recent sign-in. */
  recent: boolean;
  /** Whether its API key needs a scope. */
  scope: boolean;
  /** Whether something varies in its path. */
  inPath: boolean;
  /** The names of its options in the query. */
  query: readonly string[];
  /** The types that its body can have; none where it describes no body. */
  body: readonly string[];
  /** Whether it is refused while the storage of the tenant is exhausted. */
  addsData: boolean;
}

/** The options of a list that pick nothing. */
const PAGING = ['limit', 'cursor', 'format', 'order'];
const FORM = 'application/x-www-form-urlencoded';

/** All codes that an operation refuses with, by status: those of its form, then its own; an empty list of its own: none. */
export function refusalsOf(form: OperationForm, own: Refusals): Refusals {
  const all: Record<number, string[]> = {};
  const add = (status: number, ...codes: string[]): void => {
    const known = (all[status] ??= []);
    known.push(...codes.filter((code) => !known.includes(code)));
  };
  ofCredential(form, add);
  // Work for a tenant waits for that tenant's share of the database.
  if (form.credential === 'api_key' || form.credential === 'session') {
    add(503, 'tenant_busy');
    if (form.method !== 'get') add(503, 'record_busy');
  }
  ofRequest(form, add);
  for (const [status, codes] of Object.entries(own)) {
    if (codes.length === 0) delete all[Number(status)];
    else add(Number(status), ...codes);
  }
  add(503, 'unavailable');
  if (form.addsData) add(507, 'storage_exhausted');
  if (form.method !== 'get') add(503, 'storage_full');
  if (form.credential !== null) add(503, 'secret_unreadable');
  return all;
}

type Add = (status: number, ...codes: string[]) => void;

function ofCredential({ method, credential, recent, scope }: OperationForm, add: Add): void {
  if (credential === null) return;
  if (credential === 'session') return add(401, 'no_session');
  add(400, 'several_credentials');
  add(401, 'credential_missing', 'credential_invalid');
  if (recent) add(401, 'sign_in_again');
  add(403, 'cross_site_request');
  add(429, 'too_many_requests');
  if (credential === 'operator_token') {
    if (method !== 'get') add(409, 'tenant_entered');
    return add(403, 'operator_only');
  }
  add(403, 'outside_allow_from');
  if (scope) add(403, 'missing_scope', 'no_tenant_entered');
  add(406, 'not_acceptable');
  if (method !== 'post') return;
  add(400, 'invalid_idempotency_key');
  add(409, 'request_in_progress');
  add(422, 'idempotency_key_reused');
}

function ofRequest({ method, inPath, query, body }: OperationForm, add: Add): void {
  // What no percent sign can be in: `%zz`.
  if (inPath) {
    add(400, 'malformed_request');
    add(404, 'not_found');
  }
  if (query.length > 0) {
    add(400, 'repeated_parameter');
    add(422, 'invalid_fields');
  }
  if (query.includes('cursor')) {
    add(400, 'invalid_cursor');
    // A list with filters: what they pick may be anywhere in it.
    if (query.some((name) => !PAGING.includes(name))) add(400, 'search_too_expensive');
  }
  if (method === 'get' || method === 'delete') return;
  // A body is read before the operation looks at it.
  add(400, 'body_in_crumbs');
  add(413, 'body_too_large');
  add(503, 'too_many_bodies');
  add(415, 'unsupported_media_type');
  const asForm = body.includes(FORM);
  if (asForm) add(400, 'repeated_parameter', 'malformed_request');
  if (asForm && body.length === 1) return;
  add(400, 'malformed_json');
  if (body.length === 0) return;
  add(400, 'malformed_request');
  add(422, 'invalid_fields');
}
