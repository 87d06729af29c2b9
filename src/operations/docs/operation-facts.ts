import { STATUS_CODES } from 'node:http';
import { getSchemaPath, type OpenAPIObject } from '@nestjs/swagger';
import { type Refusals, FOREIGN_QUERY, ProblemBody, REFUSALS } from '../../base/http/api-answers.js';
import { DOCUMENTED_RECENT, needsRecentSignIn, DOCUMENTED_SCOPE } from '../../tenancy/tenants/caller.js';
import type { ScopeDemand } from '../../tenancy/tenants/scopes.js';
import { DOCUMENTED_PASSES } from '../../tenancy/tenants/storage/storage.errors.js';
import { addsData } from '../../tenancy/tenants/storage/storage.rules.js';
import { whichSurface } from '../surfaces/exception.filter.js';
import { PROBLEM_CODES } from './problem-codes.js';

export interface OperationForm {
  method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  credential: 'api_key' | 'operator_token' | 'session' | null;
  recent: boolean;
  scope: boolean;
  inPath: boolean;
  query: readonly string[];
  body: readonly string[];
  /** The operation is refused while the storage of the tenant is exhausted. */
  addsData: boolean;
}

const PAGING = ['limit', 'cursor', 'format', 'order'];
const FORM = 'application/x-www-form-urlencoded';

/** The refusals of the form, then the operation's own; an empty list of its own means none. */
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
    // A list with filters: its rows may be anywhere.
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

export type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Responses = Operation['responses'];
type Method = OperationForm['method'];

interface Parameter {
  name: string;
  in: string;
  schema?: object;
}

interface Noted {
  [DOCUMENTED_SCOPE]?: ScopeDemand;
  [REFUSALS]?: Refusals;
  [FOREIGN_QUERY]?: boolean;
  [DOCUMENTED_PASSES]?: boolean;
  [DOCUMENTED_RECENT]?: boolean;
}

/** Documents the scope that the key of an operation needs, and its refusals, from the notes of decorators. */
export function tellFacts(path: string, method: Method, operation: Operation): void {
  const noted = operation as Operation & Noted;
  const { [DOCUMENTED_SCOPE]: scopes, [REFUSALS]: own, [FOREIGN_QUERY]: isForeign = false } = noted;
  const passes = noted[DOCUMENTED_PASSES] ?? false;
  const isRecent = noted[DOCUMENTED_RECENT] ?? false;
  delete noted[DOCUMENTED_RECENT];
  delete noted[DOCUMENTED_PASSES];
  delete noted[DOCUMENTED_SCOPE];
  delete noted[REFUSALS];
  delete noted[FOREIGN_QUERY];
  if (scopes !== undefined) tellScopes(operation, scopes);
  for (const parameter of operation.parameters ?? []) tellType(parameter as Parameter);
  if (own === undefined) return;
  const options = (isForeign ? [] : (operation.parameters ?? [])) as Parameter[];
  const credential = credentialOf(operation);
  const form: OperationForm = {
    method,
    credential,
    addsData: credential === 'api_key' && addsData(method.toUpperCase(), scopes?.flat() ?? [], passes),
    recent: needsRecentSignIn(method, isRecent),
    scope: scopes !== undefined,
    inPath: path.includes('{'),
    query: options.filter((option) => option.in === 'query').map(({ name }) => name),
    body: Object.keys((operation.requestBody as { content?: object } | undefined)?.content ?? {}),
  };
  operation.responses = withRefusals(operation.responses, refusalsOf(form, own), whichSurface(path, 'text/html'));
}

function tellType(parameter: Parameter): void {
  if (Object.keys(parameter.schema ?? {}).length > 0) return;
  const isLimit = parameter.name === 'limit';
  parameter.schema = isLimit ? { type: 'integer', minimum: 1, maximum: 200, default: 50 } : { type: 'string' };
}

/** Scopes as roles of the credential (OpenAPI 3.1, Security Requirement Object), and in words. */
function tellScopes(operation: Operation, alternatives: ScopeDemand): void {
  operation.security = alternatives.map((together) => ({ api_key: [...together] }));
  const names = alternatives.map((together) => together.map((scope) => `\`${scope}\``).join(' and ')).join(' or ');
  const words = `Needs an API key with the scope ${names}.`;
  operation.description = operation.description ? `${operation.description}\n\n${words}` : words;
}

function credentialOf({ security }: Operation): OperationForm['credential'] {
  if (security?.some((one) => Object.keys(one).length === 0)) return null;
  const [name] = Object.keys(security?.[0] ?? {});
  return (name as OperationForm['credential'] | undefined) ?? null;
}

/** Replaces the refusals of an operation. Other answers stay, and so do pages for browsers. */
function withRefusals(before: Responses, refusals: Refusals, surface: string): Responses {
  const after: Responses = {};
  for (const [status, response] of Object.entries(before)) {
    if (!isProblem(response)) after[status] = response;
  }
  for (const [status, codes] of Object.entries(refusals)) {
    const words = codes.map((code) => `\`${code}\`: ${PROBLEM_CODES[code] ?? code}`).join('\n\n');
    const page = pageOf(after[status]);
    after[status] = {
      description: [page?.description, words].filter(Boolean).join('\n\n') || STATUS_CODES[status]!,
      content: {
        ...(page !== null || surface === 'page' ? { 'text/html': { schema: { type: 'string' } } } : {}),
        'application/problem+json': {
          schema: { $ref: getSchemaPath(ProblemBody), properties: { code: { type: 'string', enum: [...codes] } } },
        },
      },
    };
  }
  return after;
}

function isProblem(response: Responses[string]): boolean {
  return 'application/problem+json' in ((response as { content?: object }).content ?? {});
}

function pageOf(response: Responses[string] | undefined): { description: string } | null {
  const known = response as { description: string; content?: object } | undefined;
  return known !== undefined && 'text/html' in (known.content ?? {}) ? known : null;
}
