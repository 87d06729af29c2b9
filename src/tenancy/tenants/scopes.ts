/** Every scope of an API key with its rights. `admin` includes all of them, and the rights without a scope. */
export const SCOPE_TEXTS = {
  'users:read': 'Read users with their personal data, and resolve their ids.',
  'users:write': 'Create, change and delete users; what they change is answered.',
  'candidates:read': 'Read candidates with their personal data and metadata, and resolve their ids.',
  'candidates:write': 'Create, change and delete candidates, which erases their data; what they change is answered.',
  'jobs:read': 'Read job openings, and resolve their ids.',
  'jobs:write': 'Create, change and close job openings.',
  'interviews:read': 'Read interviews and their scorecards, with assessments of candidates.',
  'interviews:write': 'Schedule and move interviews, and put their scorecards.',
  'seats:read': 'Read seats: limit, use, ledger, heads, and holders with their names; verify the ledger.',
  'seats:write': 'Set the limit and the policy; reconcile the ledger.',
  'webhooks:manage':
    'Manage the outbound webhooks of the key, and read events, with personal data of users and candidates.',
  'webhooks:read':
    'Read webhook endpoints, their messages and attempts, with personal data of users and candidates; no secret.',
  'ats:read':
    'Read connections to ATSs, their runs, writes and inbound events: events contain personal data of candidates.',
  'ats:manage':
    'Connect ATSs (also by links that open for others), change and end connections, set their tokens, sync, and settle what failed.',
  'audit:read':
    'Read the audit log, events, sign-ins, histories and leavers, with the personal data in them; verify the audit log.',
  'directories:read':
    'Read directories, their groups, rules, tasks and SCIM tokens (without the secret); with `users:read`, held users, waiting members and previews too.',
  'connections:read': 'Read connections and domains.',
  'sign-ins:read':
    'Read the sign-in log, with e-mails and network addresses; with `users:read`, sessions and identities of users too.',
  'changes:read': 'Read changes for the platform and their attempts, with personal data of users.',
  'platform:read': 'Read the settings and the state of the platform, and its tasks.',
  'settings:read':
    'Read the settings of the tenant, roles, API keys (without the secret) and tasks; with `users:read`, what tasks have left out.',
  admin:
    'All scopes, and the writes of everything else of the tenant: directories, connections, domains, keys, roles, held users, changes, the platform, tasks.',
} as const;

/** A scope of an API key. */
export type Scope = keyof typeof SCOPE_TEXTS;

/** Alternatives, of which one is enough; each is a list of scopes that are needed together, as in OpenAPI 3.1. */
export type ScopeDemand = readonly (readonly Scope[])[];

export const SCOPES = Object.keys(SCOPE_TEXTS) as readonly Scope[];

/** The scopes of an auditor. */
export const READ_SCOPES: ReadonlySet<string> = new Set(SCOPES.filter((scope) => scope.endsWith(':read')));
