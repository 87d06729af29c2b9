import {
  BULK_REQUEST_URN,
  ENTERPRISE_URN,
  GROUP_URN,
  PATCH_OP_URN,
  SEARCH_REQUEST_URN,
  USER_URN,
} from '../../protocols/scim/urns.js';

const USER = { email: 'ann@example.com', first_name: 'Ann', last_name: 'Other', role: 'User', external_id: 'hr-4711' };
const CANDIDATE = {
  first_name: 'Zoë',
  last_name: 'Müller',
  email: 'zoe.muller@example.com',
  external_id: 'zr_480912000001234567',
  metadata: { ats: 'zoho_recruit', job_opening_id: 'zr_480912', ats_priority: 'high' },
};
const EXPIRES = '2027-01-31T00:00:00Z';
const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwczovL2lkcC5leGFtcGxlLmNvbSJ9.c2lnbmF0dXJl';
const MESSAGE = 'PHNhbWxwOlJlc3BvbnNlIC8+';
const SCIM_USER = {
  schemas: [USER_URN, ENTERPRISE_URN],
  externalId: '00u1ab2cd3ef4GH5ij6',
  userName: 'ann@example.com',
  name: { givenName: 'Ann', familyName: 'Other' },
  emails: [{ value: 'ann@example.com', type: 'work', primary: true }],
  active: true,
  [ENTERPRISE_URN]: { department: 'Sales', costCenter: 'CC-7' },
};
const DEACTIVATION = {
  schemas: [PATCH_OP_URN],
  Operations: [{ op: 'replace', path: 'active', value: false }],
};

export const BODY_EXAMPLES: Readonly<Record<string, unknown>> = {
  CreateUser: USER,
  PutUser: { ...USER, status: 'active' },
  ChangeUser: { last_name: 'Smith', status: 'inactive' },
  ScheduleInterview: {
    starts_at: '2026-03-05T13:00:00Z',
    ends_at: '2026-03-05T13:45:00Z',
    time_zone: 'Europe/Zurich',
    interviewers: ['Ada Lovelace <ada@example.com>'],
  },
  ChangeInterviewEngine: { base_url: 'https://interviews.example.com', api_key: 'key-of-the-interview-engine' },
  ChangeInterview: { starts_at: '2026-03-06T09:00:00Z', ends_at: '2026-03-06T09:45:00Z' },
  DismissWrite: { reason: 'The candidate asked for it.' },
  TestWrite: { candidate_id: 'cand_01jd0q4m8k7v2y9wq3x5c6z8ab' },
  PutScorecard: {
    version: 1,
    overall: 4.2,
    recommendation: 'advance',
    summary: 'Solid system design; concise answers.',
    criteria: [
      {
        name: 'System design',
        score: 4,
        scale: { min: 1, max: 5 },
        evidence: 'Named the bottleneck, and measured it.',
      },
    ],
    link: 'https://app.example.com/scorecards/01k0000000abcdef',
  },
  CreateCandidate: CANDIDATE,
  PutCandidate: CANDIDATE,
  ChangeCandidate: { job_title: 'Senior Backend Engineer', metadata: { ats_priority: 'high' } },
  PutJob: { title: 'Backend Engineer', status: 'open', department: 'Engineering', location: 'Zürich', ats: 'bullhorn' },
  ParkedSelection: { error: 'refused', directory: 'dir_01k9', dry_run: true },
  DismissSelection: { error: 'refused', directory: 'dir_01k9', reason: 'left the company' },
  HeldSelection: { reason: 'no_seat', directory: 'dir_01k9', dry_run: true },
  GuardSelection: { count: 28 },
  CreateRole: { name: 'Recruiter', takes_seat: true },
  ChangeRole: { takes_seat: false },
  SeatLimitDto: { limit: 200, policy: { directory: 'wait', api: 'block', sign_in: 'wait' } },
  ReconcileDto: { repair: false },
  CreateDirectory: { name: 'Okta', profile: 'okta', default_role: 'User', state: 'preview' },
  ChangeDirectory: { profile: 'tolerant', attribute_map: { email: 'userName' } },
  GroupRules: { rules: [{ group_id: 'grp_01k9', role: 'Admin' }] },
  ReplacedRules: { rules: [{ group_id: 'grp_01k9', role: 'Admin' }] },
  CreateClient: {
    name: 'Entra ID',
    kind: 'federated',
    issuer: 'https://login.microsoftonline.com/8f2a4d1e-0000-4000-8000-00000000d4a1/v2.0',
    subject: '32bc4d3b-0000-4e2b-92d0-00000000d4a1',
    audience: 'api://5a7e0c9b-0000-4000-8000-00000000d4a1',
    jwks_url: 'https://login.microsoftonline.com/8f2a4d1e-0000-4000-8000-00000000d4a1/discovery/v2.0/keys',
  },
  CreateClientSecret: { expires_at: EXPIRES, overlap_seconds: 86_400 },
  TokenForm: {
    grant_type: 'client_credentials',
    client_id: 'cli_01k0000000abcdefghjkmnpqrs_01k0000000abcdefghjkmnpqrs',
    client_secret: 'tbd_…',
    scope: 'scim',
  },
  CreateScimToken: { name: 'Okta production', expires_at: EXPIRES },
  RotateCredential: { overlap_seconds: 86_400, expires_at: EXPIRES },
  CreateAtsConnection: { provider: 'ashby', name: 'Recruiting', credential: { kind: 'api_key', key: 'ashby-api-key' } },
  ChangeAtsConnection: { takes: { postings: 'open', candidates: 'active' }, writes: { visibility: 'private' } },
  SyncAtsConnection: { full: true },
  CreateAtsToken: { api_token: 'token-of-the-ats-7f3a91c2e8d4' },
  SetSigningSecret: { secret: 'the secret that the ATS signs with' },
  CreateConnectLink: { provider: 'lever' },
  WriterForm: { state: 'tbg_…', as_user: '32bc4d3b-0000-4e2b-92d0-00000000d4a1' },
  ConnectForm: { confirmed: 'yes', connection: '' },
  DismissInboundEvent: { reason: 'a test of the ATS' },
  CreateWebhook: {
    url: 'https://hooks.example.com/talent-bridge',
    events: ['candidate.created', 'user.deactivated'],
    description: 'Zap of the recruiting team',
  },
  ChangeWebhook: { events: null, ordered: true },
  RotateSecret: { overlap_seconds: 86_400 },
  TestWebhook: { event: 'candidate.created' },
  PauseWebhook: { reason: 'the receiver moves to another host' },
  RedeliverWebhook: { event_id: 'evt_0000000000004711' },
  ReplayWebhook: { since: '2026-01-31T00:00:00Z', dry_run: true },
  ChangePlatform: {
    base_url: 'https://api.platform.example.com',
    api_key: 'the key of this customer',
    on_delete: 'inactive',
  },
  TestPlatform: { write: true },
  PausePlatform: { reason: 'moving to another address' },
  ResendChanges: { since: '2026-01-31T00:00:00Z' },
  DismissChange: { reason: 'the user was corrected on the platform' },
  CreateConnection: {
    type: 'oidc',
    name: 'Okta',
    slug: 'acme',
    directory_id: 'dir_01k9',
    issuer: 'https://acme.okta.com',
    client_id: '0oa1b2c3',
    client_secret: 'the secret of the application',
  },
  ChangeConnection: { link_claim: 'oid', enabled: true },
  RefreshMetadata: { confirm: true },
  ForgetSubjects: { dry_run: true },
  CreateDomain: { domain: 'acme.example', connection_id: null },
  ChangeDomain: { connection_id: 'con_01k9' },
  CreateApiKey: { name: 'zapier', scopes: ['users:read', 'users:write'], expires_at: EXPIRES },
  ChangeApiKey: { allow_from: ['203.0.113.0/24'] },
  ChangeTenant: { name: 'Acme Ltd', owner_user_id: 'usr_01k9', break_glass: [] },
  CreateTenant: { name: 'Acme Ltd', time_zone: 'Europe/Berlin', api_key: { name: 'first key' } },
  SetStorageLimit: { limit_bytes: 53_687_091_200 },
  ChangeTenantByOperator: { base_url: 'https://acme.bridge.example' },
  CreateTenantKey: { name: 'first key', scopes: ['admin'], expires_at: EXPIRES, reason: 'Ticket 4711: locked out' },
  TrustDomain: { connection_id: null, reason: 'Ticket 4711: the record is on its way' },
  MakeOwnerLink: { user_id: null, reason: 'Ticket 4711: locked out' },
  EnterConsole: {},
  MakeConsoleLink: { role: 'admin', tenant_id: 'ten_01k0000000abcdefghjkmnpqrs', reason: 'Ticket 4711: locked out' },
  EnterTenant: { reason: 'Ticket 4711: users do not arrive' },
  RotateSigningKey: { purpose: 'saml', retire_old: false },
  InitiatedLogin: { iss: 'https://idp.example.com', target_link_uri: '/' },
  SamlAnswerForm: { SAMLResponse: MESSAGE, RelayState: 'c3RhdGU' },
  SamlLogoutForm: { SAMLRequest: MESSAGE, RelayState: 'c3RhdGU' },
  LogoutTokenForm: { logout_token: JWT },
  OwnerSignInForm: { code: 'the secret of the link' },
  TokenAsk: { code: 'the code of return_to', code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' },
  IntrospectAsk: { token: JWT },
  'POST /api/auth/global-token-revocation/{idp_provider}': { sub_id: { format: 'email', email: 'ann@example.com' } },
  ScimUser: SCIM_USER,
  ScimGroup: { schemas: [GROUP_URN], displayName: 'Recruiters', members: [{ value: 'usr_01k9' }] },
  ScimPatch: DEACTIVATION,
  'PATCH /scim/v2/Groups/{id}': {
    schemas: [PATCH_OP_URN],
    Operations: [{ op: 'add', path: 'members', value: [{ value: 'usr_01k9' }] }],
  },
  ScimSearch: {
    schemas: [SEARCH_REQUEST_URN],
    filter: 'userName eq "ann@example.com"',
    attributes: ['userName', 'active'],
    count: 10,
  },
  'POST /scim/v2/Groups/.search': {
    schemas: [SEARCH_REQUEST_URN],
    filter: 'displayName eq "Recruiters"',
    excludedAttributes: ['members'],
  },
  ScimBulkRequest: {
    schemas: [BULK_REQUEST_URN],
    failOnErrors: 1,
    Operations: [
      { method: 'POST', path: '/Users', bulkId: 'ann', data: { schemas: [USER_URN], userName: 'ann@example.com' } },
      { method: 'PATCH', path: '/Users/usr_01k9', data: DEACTIVATION },
    ],
  },
};

/**
 * @param operation method and address, such as `POST /api/v1/users`
 * @param schema the description of the body
 */
export function bodyExample(operation: string, schema: object | undefined): unknown {
  const ref = (schema as { $ref?: string } | undefined)?.$ref?.split('/').at(-1) ?? '';
  return BODY_EXAMPLES[operation] ?? BODY_EXAMPLES[ref];
}
