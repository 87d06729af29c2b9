import { bodyExample } from './body-examples.js';
import type { Operation } from './operation-facts.js';

/** By place and name. A description at the decorator comes first, then a text with the method and the address. */
export const PARAMETER_TEXTS: Readonly<Record<string, string>> = {
  // ids in addresses
  'path id': 'The id of the record.',
  'path user_id': 'The id of the user (`usr_…`).',
  'path directory_id': 'The id of the directory (`dir_…`).',
  'path connection_id': 'The id of the connection (`con_…`), or its slug.',
  'path tenant_id': 'The id of the tenant (`ten_…`).',
  'path interview_id': 'The id of the interview (`int_…`).',
  'path key_id': 'The id of the API key, not the key itself.',
  'path webhook_id': 'The id of the endpoint (`whk_…`).',
  'path group_id': 'The id of the group (`grp_…`).',
  'path client_id': 'The id of the OAuth client, which is its `client_id`.',
  'path secret_id': 'The id of the secret, not the secret itself.',
  'path token_id': 'The id of the SCIM token, not the token itself.',
  'path session_id': 'The id of the session, as the list of sessions shows it.',
  'path task_id': 'The id of the task.',
  'path domain': 'The name of the domain, such as `acme.example`.',
  'path external_id': 'The id of the user in the caller’s own system, percent-encoded.',
  'path request_id': 'The id of the SCIM request (`req_…`), as `X-Request-Id` of its answer has it.',
  'path name': 'The name of the role.',
  'path idp_provider': 'The slug of the connection.',

  // lists
  'query limit': 'The largest number of records of the page.',
  'query cursor': 'The `next_cursor` of the page before; the first page without it.',
  'query since': 'Only records from this moment on (RFC 3339).',
  'query until': 'Only records before this moment (RFC 3339).',
  'query format': '`csv` or `ndjson`: all records as a file. A page of JSON unless set.',
  'query state': 'Only records in this state.',
  'query kind': 'Only records of this kind.',
  'query user_id': 'Only records of this user: the id (`usr_…`).',
  'query request_id': 'Only what this request has led to: `X-Request-Id` of its answer.',
  'query directory': 'Only records of this directory: its id.',

  // users
  'query q': 'Only users whose e-mail, names, `external_id` or `userName` begin with this text.',

  'PUT /api/v1/candidates/by-external-id/{external_id} path external_id':
    'The id of the candidate in the caller’s own system, percent-encoded.',
  'PUT /api/v1/jobs/by-external-id/{external_id} path external_id':
    'The id of the job opening in the caller’s own system, percent-encoded.',

  // interviews, writes to ATSs
  'path provider': 'The name of the ATS, such as `lever`.',
  'path ats_provider': 'The name of the ATS, such as `lever`.',
  'path link_id': 'The id of the connect link (`alk_…`).',
  'path event_id': 'The id of the inbound event (`aev_…`).',
  'path write_id': 'The id of the write (`awr_…`).',
  'query candidate_id': 'Only interviews of this candidate.',
  'query job_id': 'Only interviews for this job opening.',

  // seats, logs
  'query as_of': 'The state at this moment: a time, or a date (the end of that day in the tenant’s time zone).',
  'query from': 'The first day, or moment, of the range.',
  'query to': 'The day, or moment, before which the range ends.',
  'query sequence': 'With `hash`: the sequence of a head that was kept elsewhere.',
  'query hash': 'With `sequence`: the hash of a head that was kept elsewhere, 64 hex digits.',

  // sign-in
  'query return_to': 'Where the browser goes after the sign-in: a path, or an address of `return_origins`.',
  'query prompt': 'Is handed on to the IdP (OpenID Connect Core §3.1.2.1).',
  'query login_hint': 'Is handed on to the IdP: the name of the user.',
  'query code_challenge_method': '`S256` (RFC 7636).',
  'query SigAlg': 'The algorithm of `Signature` (SAML 2.0 Bindings §3.4.4.1).',
  'query SAMLEncoding': 'The encoding of the message; only DEFLATE is accepted (SAML 2.0 Bindings §3.4.4.1).',

  // SCIM
  'query filter': 'An expression (RFC 7644 §3.4.2.2), such as `userName eq "ann@example.com"`.',
  'query sortBy': 'The attribute of the order (RFC 7644 §3.4.2.3).',
  'query sortOrder': '`ascending` unless set (RFC 7644 §3.4.2.3).',
  'query startIndex': 'The place of the first resource, from 1 (RFC 7644 §3.4.2.4).',
  'query count': 'The largest number of resources of the page: 100 unless set, at most 1 000 (RFC 7644 §3.4.2.4).',
  'query attributes': 'The attributes of the answer, with commas between (RFC 7644 §3.9).',
  'query excludedAttributes': 'Attributes that the answer leaves out, with commas between (RFC 7644 §3.9).',

  // where one word has another meaning
  'GET /api/auth/login query email': 'The work e-mail of the user; its domain leads to the connection.',
  'GET /scim/v2/ResourceTypes/{name} path name': '`User` or `Group`.',
  'GET /scim/v2/Schemas/{urn} path urn': 'The URN of the schema.',
  'GET /scim/v2/Users query cursor': 'Empty for the first page; then `nextCursor` of the page before (RFC 9865).',
  'GET /scim/v2/Groups query cursor': 'Empty for the first page; then `nextCursor` of the page before (RFC 9865).',
  'GET /scim/v2 query cursor': 'Empty for the first page; then `nextCursor` of the page before (RFC 9865).',
};

/**
 * @param operation method and address, such as `GET /api/v1/users`
 * @param place `path`, `query`, `header` or `cookie`
 */
function parameterText(operation: string, place: string, name: string): string | undefined {
  return PARAMETER_TEXTS[`${operation} ${place} ${name}`] ?? PARAMETER_TEXTS[`${place} ${name}`];
}

interface Tag {
  readonly name: string;
  readonly description: string;
  /** The tags of the controllers: the part of the address after `/api/v1`, unless they name another one. */
  readonly of: readonly string[];
}

/** In the order of the API reference. */
const TAGS: readonly Tag[] = [
  { name: 'Me', description: 'Checks a key, and maps ids of other systems.', of: ['me', 'resolve'] },
  { name: 'Users', description: 'The users of the tenant, whichever channel wrote them.', of: ['users'] },
  {
    name: 'Held users',
    description: 'Users whose requested state has no effect, with the reason; release and discard.',
    of: ['held'],
  },
  { name: 'History', description: 'All that happened to a user, and the times of leavers.', of: ['history'] },
  {
    name: 'Requests',
    description: 'The provisioning log: SCIM requests, what each did, and why it was refused.',
    of: ['requests'],
  },
  { name: 'Status', description: 'How the tenant is doing, and what needs attention.', of: ['status', 'overview'] },
  { name: 'Search', description: 'Finds records of the tenant by name or id.', of: ['search'] },
  { name: 'Candidates', description: 'People who apply, with the metadata of an ATS or program.', of: ['candidates'] },
  { name: 'Jobs', description: 'Job openings. Candidates show the title of theirs.', of: ['jobs'] },
  {
    name: 'Interviews',
    description: 'Interviews of candidates: scheduled, moved, and completed by a scorecard.',
    of: ['interviews'],
  },
  { name: 'Roles', description: 'The catalogue of roles; each says whether it takes a seat.', of: ['roles'] },
  { name: 'Seats', description: 'Limit, use, reports, and the ledger with its signed heads.', of: ['seats'] },
  {
    name: 'Directories',
    description: 'SCIM sources: profile, tokens, group rules, preview.',
    of: ['directories'],
  },
  {
    name: 'SCIM',
    description:
      'SCIM 2.0 (RFC 7643, RFC 7644, RFC 9865) for IdPs. `/Schemas` and `/ServiceProviderConfig` say what the profile of the directory accepts.',
    of: ['scim'],
  },
  { name: 'Platform', description: 'The hiring platform that changes are forwarded to.', of: ['platform'] },
  { name: 'Changes', description: 'What was or will be forwarded; retry, dismiss, resend.', of: ['changes'] },
  { name: 'Events', description: 'The events of the tenant, with a severity and what to do.', of: ['events'] },
  {
    name: 'Webhooks',
    description: 'Addresses that events are sent to, signed: endpoints, secrets, attempts, replay.',
    of: ['webhooks'],
  },
  {
    name: 'ATS connections',
    description:
      'Applicant tracking systems: connections, what came in, what is written to them, and the pages that connect one.',
    of: ['ats-connections', 'ats-webhooks'],
  },
  { name: 'Tasks', description: 'Background work: progress, result, records that were left out.', of: ['tasks'] },
  { name: 'Connections', description: 'Sign-in through IdPs, by OpenID Connect or SAML 2.0.', of: ['connections'] },
  { name: 'Domains', description: 'E-mail domains of the tenant, proved by DNS.', of: ['domains'] },
  {
    name: 'Sign-in',
    description: 'The addresses for browsers, IdPs and applications; sessions and bindings of users.',
    of: ['sign-in'],
  },
  {
    name: 'Sign-in log',
    description: 'Sign-ins, tests and logouts, with the reason of each refusal.',
    of: ['sign-ins'],
  },
  { name: 'Console', description: 'The session of the console, and who may enter it.', of: ['console', 'members'] },
  { name: 'Audit log', description: 'Administrative changes: a hash chain with signed heads.', of: ['audit'] },
  { name: 'API keys', description: 'Credentials of this API, with scopes.', of: ['api-keys'] },
  { name: 'Tenant', description: 'The tenant of the key, and the bytes that it stores.', of: ['tenant', 'storage'] },
  {
    name: 'Installation',
    description:
      'For the operator: tenants, their storage, trusted domains, sign-in links, links of the console, keys, audit log. Needs the operator token.',
    of: [
      'tenants',
      'tenants/keys',
      'tenants/keys/signing',
      'tenants/:tenant_id/domains',
      'tenants/:tenant_id/storage',
      'tenants/:tenant_id/owner-sign-in-link',
      'installation',
      'installation/audit',
      'installation/console-links',
      'tenants/:tenant_id',
    ],
  },
  { name: 'Operations', description: 'Health and metrics; no credential of a tenant.', of: ['operations'] },
];

export function tagObjects(): { name: string; description: string }[] {
  return TAGS.map(({ name, description }) => ({ name, description }));
}

function tagName(tag: string): string {
  return TAGS.find(({ of }) => of.includes(tag))?.name ?? tag;
}

interface Described {
  readonly name: string;
  readonly in: string;
  description?: string;
}

/**
 * Adds to an operation what decorators lack: the group, a description for each parameter, an example for each body.
 *
 * @param path the address, with parameters in braces
 * @param method in lower case
 */
export function tellWords(path: string, method: string, operation: Operation): void {
  const address = `${method.toUpperCase()} ${path}`;
  operation.tags = (operation.tags ?? []).map(tagName);
  for (const parameter of (operation.parameters ?? []) as Described[]) {
    const text = parameter.description ? undefined : parameterText(address, parameter.in, parameter.name);
    if (text !== undefined) parameter.description = text;
  }
  const { content = {} } = (operation.requestBody ?? {}) as {
    content?: Record<string, { schema?: object; example?: unknown }>;
  };
  for (const media of Object.values(content)) {
    const example = bodyExample(address, media.schema);
    if (example !== undefined) media.example ??= example;
  }
}
