// What honest clients send. The fuzzer mutates it.

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';
const SEARCH = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest';
const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

const patch = (...Operations) => ({ schemas: [PATCH], Operations });

/** A user whom the fuzzer may know already, or not. */
function user(random, n) {
  return {
    schemas: [USER, ENTERPRISE],
    userName: `fuzz${n}@x.example`,
    externalId: `e${random.below(500)}`,
    name: { givenName: 'G', familyName: `F${n}` },
    displayName: `G F${n}`,
    active: random.chance(0.8),
    emails: [{ value: `fuzz${random.below(500)}@x.example`, type: 'work', primary: true }],
    phoneNumbers: [{ value: '+1 555', type: 'mobile' }],
    roles: [{ value: random.of(['User', 'Admin', 'Observer']), primary: true }],
    [ENTERPRISE]: { department: 'D', costCenter: `C${random.below(5)}`, manager: { value: 'usr_x' } },
  };
}

const OPERATIONS = [
  { op: 'replace', path: 'active', value: false },
  { op: 'Replace', path: 'active', value: 'True' },
  { op: 'add', path: 'emails[type eq "work"].value', value: 'w@x.example' },
  { op: 'replace', path: 'name.familyName', value: 'N' },
  { op: 'replace', value: { displayName: 'D', 'name.givenName': 'X' } },
  { op: 'remove', path: 'phoneNumbers[type eq "mobile"]' },
  { op: 'add', path: `${ENTERPRISE}:department`, value: 'E' },
  { op: 'remove', path: 'title' },
];
const FILTERS = [
  'userName sw "fuzz"',
  'active eq true',
  'emails.value co "x"',
  'name.familyName pr',
  'meta.created gt "2020-01-01T00:00:00Z"',
];

/**
 * A request of SCIM.
 *
 * @param known ids of users and groups that exist or did: `{ users, groups }`
 */
export function scimRequest(random, known, n) {
  const id = known.users.length > 0 ? random.of(known.users) : 'usr_none';
  const group = known.groups.length > 0 ? random.of(known.groups) : 'grp_none';
  const members = () =>
    Array.from({ length: random.below(4) }, () => ({ value: known.users.length > 0 ? random.of(known.users) : 'x' }));
  const query = () => ({
    filter: random.of(FILTERS),
    count: String(random.below(30)),
    startIndex: String(1 + random.below(40)),
  });
  return random.of([
    () => ({ method: 'POST', path: '/scim/v2/Users', body: user(random, n) }),
    () => ({ method: 'POST', path: '/scim/v2/Users', body: user(random, n) }),
    () => ({ method: 'PUT', path: `/scim/v2/Users/${id}`, body: user(random, n) }),
    () => ({
      method: 'PATCH',
      path: `/scim/v2/Users/${id}`,
      body: patch(random.of(OPERATIONS), random.of(OPERATIONS)),
    }),
    () => ({ method: 'PATCH', path: `/scim/v2/Users/${id}`, body: patch(random.of(OPERATIONS)) }),
    () => ({ method: 'DELETE', path: `/scim/v2/Users/${id}` }),
    () => ({ method: 'GET', path: `/scim/v2/Users/${id}`, query: { attributes: 'userName,emails.value' } }),
    () => ({ method: 'GET', path: '/scim/v2/Users', query: query() }),
    () => ({
      method: 'GET',
      path: '/scim/v2/Users',
      query: { sortBy: random.of(['userName', 'name.familyName', 'meta.created']), cursor: '' },
    }),
    () => ({
      method: 'POST',
      path: '/scim/v2/Users/.search',
      body: { schemas: [SEARCH], ...query(), count: random.below(20), startIndex: 1 },
    }),
    () => ({
      method: 'POST',
      path: '/scim/v2/Groups',
      body: { schemas: [GROUP], displayName: `Group ${n}`, members: members() },
    }),
    () => ({
      method: 'PUT',
      path: `/scim/v2/Groups/${group}`,
      body: { schemas: [GROUP], displayName: `Group ${n}`, members: members() },
    }),
    () => ({
      method: 'PATCH',
      path: `/scim/v2/Groups/${group}`,
      body: patch({ op: random.of(['add', 'replace', 'remove']), path: 'members', value: members() }),
    }),
    () => ({
      method: 'PATCH',
      path: `/scim/v2/Groups/${group}`,
      body: patch(
        { op: 'remove', path: `members[value eq "${id}"]` },
        { op: 'replace', path: 'displayName', value: `Group ${n}` },
      ),
    }),
    () => ({ method: 'DELETE', path: `/scim/v2/Groups/${group}` }),
    () => ({ method: 'GET', path: `/scim/v2/Groups/${group}` }),
    () => ({ method: 'GET', path: '/scim/v2/Groups', query: { filter: `members.value eq "${id}"` } }),
    () => ({
      method: 'POST',
      path: '/scim/v2/Bulk',
      body: {
        schemas: [BULK],
        failOnErrors: 2,
        Operations: [
          { method: 'POST', path: '/Users', bulkId: 'u', data: user(random, n) },
          {
            method: 'POST',
            path: '/Groups',
            bulkId: 'g',
            data: { schemas: [GROUP], displayName: `Bulk ${n}`, members: [{ value: 'bulkId:u' }] },
          },
          { method: 'DELETE', path: `/Users/${id}` },
        ],
      },
    }),
    () => ({
      method: 'GET',
      path: random.of(['/scim/v2/Schemas', '/scim/v2/ResourceTypes', '/scim/v2/ServiceProviderConfig', '/scim/v2']),
    }),
  ])();
}

/** A request of the API. */
export function apiRequest(random, known, n) {
  const id = known.people.length > 0 ? random.of(known.people) : 'usr_none';
  const person = () => ({
    email: `api${random.below(400)}@x.example`,
    first_name: 'A',
    last_name: `B${n}`,
    external_id: `k${n}`,
    role: random.of(['User', 'Admin']),
    status: 'active',
  });
  return random.of([
    () => ({
      method: 'POST',
      path: '/api/v1/users',
      body: person(),
      headers: random.chance(0.2) ? { 'idempotency-key': `k${random.below(50)}` } : {},
    }),
    () => ({
      method: 'PATCH',
      path: `/api/v1/users/${id}`,
      body: { last_name: `N${n}`, status: random.of(['active', 'inactive']) },
    }),
    () => ({ method: 'PUT', path: `/api/v1/users/by-external-id/k${random.below(200)}`, body: person() }),
    () => ({
      method: 'GET',
      path: '/api/v1/users',
      query: { limit: '20', status: 'active', updated_since: '2020-01-01T00:00:00Z' },
    }),
    () => ({ method: 'GET', path: `/api/v1/users/${id}/history`, query: { order: 'asc', limit: '10' } }),
    () => ({ method: 'DELETE', path: `/api/v1/users/${id}` }),
    () => ({ method: 'GET', path: '/api/v1/changes', query: { state: 'pending', limit: '10' } }),
    () => ({ method: 'GET', path: '/api/v1/audit', query: { since: '2020-01-01', limit: '10' } }),
    () => ({
      method: 'GET',
      path: random.of(['/api/v1/seats', '/api/v1/seats/holders', '/api/v1/seats/events']),
      query: { as_of: '2026-01-01' },
    }),
    () => ({
      method: 'GET',
      path: '/api/v1/seats/usage',
      query: { from: '2026-01-01', to: '2026-01-05', interval: 'day' },
    }),
    () => ({ method: 'GET', path: '/api/v1/resolve', query: { type: 'user', external_id: 'k1' } }),
    () => ({
      method: 'GET',
      path: random.of([
        '/api/v1/held',
        '/api/v1/tasks',
        '/api/v1/leavers',
        '/api/v1/sign-ins',
        '/api/v1/directories',
        '/api/v1/roles',
        '/api/v1/connections',
        '/api/v1/domains',
      ]),
    }),
    () => ({ method: 'POST', path: '/api/v1/held/discard', body: { all: true, dry_run: true } }),
    () => ({
      method: 'PUT',
      path: '/api/v1/seats/limit',
      body: { limit: 100_000, policy: { directory: 'wait', api: 'block' } },
    }),
    () => ({
      method: 'POST',
      path: '/api/v1/connections',
      body: {
        type: 'oidc',
        name: `C${n}`,
        issuer: 'https://idp.invalid',
        client_id: 'c',
        client_secret: 's',
        enabled: false,
      },
    }),
    () => ({ method: 'PATCH', path: '/api/v1/tenant', body: { name: 'Fuzz', time_zone: 'Europe/Berlin' } }),
    () => ({
      method: 'GET',
      path: random.of(['/api/auth/login', '/api/auth/session', '/api/auth/metadata/x', '/docs/openapi.json']),
      query: { email: 'a@x.example' },
    }),
    () => ({
      method: 'POST',
      path: random.of(['/api/auth/token', '/api/auth/introspect']),
      body: { token: 'x', grant_type: 'authorization_code', code: 'y' },
    }),
  ])();
}
