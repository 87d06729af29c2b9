import { sharedApp, type TestApp } from '../../support/app.js';
import { Description, type Operation, type Schema } from '../../support/description.js';
import { consoleBySignIn, consoleUser, type ConsoleBrowser } from '../../support/console.js';
import { newHouse, type House } from '../../support/house.js';
import { client, eventually, send, type Client } from '../../support/http.js';
import { fresh, madeGroup, madeUser, mail, patch, user } from '../../support/scim.js';
import { SCOPES } from '../../../src/tenancy/tenants/scopes.js';

/** The fields of request bodies that give rights of administration. */
const AUTHORITY = [
  'role',
  'rules',
  'default_role',
  'role_map',
  'may_grant_console',
  'console',
  'scopes',
  'owner_user_id',
  'break_glass',
] as const;
type Carrier = (typeof AUTHORITY)[number];

let service: TestApp;
let at: House;
let operations: Operation[];
let schemas: Record<string, Schema>;
/** The ids of one record of each kind, by the name of the path parameter. */
let ids: Record<string, string>;
beforeAll(async () => {
  service = await sharedApp();
  ({ operations } = await Description.of(service.url));
  schemas = (await send('GET', `${service.url}/docs/openapi.json`, null)).body.components.schemas;
  at = await newHouse(service);
  ids = await records();
});
afterAll(() => service.close());

const person = (more: object = {}) => ({ email: mail(), first_name: 'M', last_name: 'X', ...more });
const show = async (id: string) => (await at.api.get(`/users/${id}`)).body;

async function keyOf(...scopes: string[]): Promise<string> {
  const made = await at.api.post('/api-keys', { name: fresh(), scopes });
  expect(made.status).toBe(201);
  return made.body.api_key;
}

async function records(): Promise<Record<string, string>> {
  const key = await at.api.post('/api-keys', { name: 'key', scopes: ['users:read'] });
  const made = await at.api.post('/users', person({ external_id: 'authority' }));
  const slug = fresh();
  const saml = { type: 'saml', name: slug, slug, idp_entity_id: 'x', sso_url: 'https://idp.example.com/sso' };
  const connection = await at.api.post('/connections', { ...saml, certificates: [] });
  return {
    user_id: made.body.id,
    external_id: 'authority',
    id: made.body.id,
    name: 'Observer',
    directory_id: at.directoryId,
    key_id: key.body.id,
    connection_id: connection.body.id ?? 'con_0',
  };
}

/** Returns the names of the fields of a schema, with those of its branches. */
function fieldsOf(schema: Schema | undefined): string[] {
  if (schema === undefined) return [];
  const { properties, oneOf, anyOf, allOf, $ref: ref } = schema;
  if (typeof ref === 'string') return fieldsOf(schemas[ref.split('/').at(-1)!]);
  const branches = [oneOf, anyOf, allOf].flatMap((list) => (list ?? []) as Schema[]);
  return [...Object.keys(properties ?? {}), ...branches.flatMap(fieldsOf)];
}

/** Every operation of a tenant's API whose body has a field of authority. */
function carriers(): { operation: Operation; field: Carrier }[] {
  return operations
    .filter(({ path }) => path.startsWith('/api/v1/') && !/^\/api\/v1\/(tenants|installation)(\/|$)/.test(path))
    .flatMap((operation) => {
      const fields = fieldsOf(operation.requestBody?.content['application/json']?.schema);
      return AUTHORITY.filter((field) => fields.includes(field)).map((field) => ({ operation, field }));
    });
}

/** A body that gives authority by a field, and is valid where the address demands more. */
function bodyOf({ path, method }: Operation, field: Carrier): object {
  const value: Record<Carrier, unknown> = {
    role: 'Admin',
    rules: [],
    default_role: 'Admin',
    role_map: { everybody: 'Admin' },
    may_grant_console: true,
    console: 'admin',
    scopes: ['admin'],
    owner_user_id: ids['user_id'],
    break_glass: [ids['user_id']],
  };
  const isWhole = method !== 'PATCH';
  const others = path.endsWith('/users') || path.includes('/users/by-') ? person() : { name: fresh() };
  return { ...(isWhole ? others : {}), [field]: value[field] };
}

it('finds the operations that carry authority in the description of the API', () => {
  const found = carriers().map(({ operation, field }) => `${operation.method} ${operation.path} ${field}`);
  expect(found.sort()).toEqual([
    'PATCH /api/v1/connections/{connection_id} default_role',
    'PATCH /api/v1/connections/{connection_id} role_map',
    'PATCH /api/v1/connections/{connection_id} scopes',
    'PATCH /api/v1/directories/{directory_id} default_role',
    'PATCH /api/v1/directories/{directory_id} may_grant_console',
    'PATCH /api/v1/roles/{name} console',
    'PATCH /api/v1/tenant break_glass',
    'PATCH /api/v1/tenant owner_user_id',
    'PATCH /api/v1/users/{id} role',
    'POST /api/v1/api-keys owner_user_id',
    'POST /api/v1/api-keys scopes',
    'POST /api/v1/connections default_role',
    'POST /api/v1/connections role_map',
    'POST /api/v1/connections scopes',
    'POST /api/v1/directories default_role',
    'POST /api/v1/directories may_grant_console',
    'POST /api/v1/directories/{directory_id}/rules/plan rules',
    'POST /api/v1/roles console',
    'POST /api/v1/users role',
    'PUT /api/v1/directories/{directory_id}/rules rules',
    'PUT /api/v1/users/by-external-id/{external_id} role',
  ]);
});

describe.each(SCOPES.filter((scope) => scope !== 'admin'))('a key with %s alone', (scope) => {
  it('gives no rights of administration', async () => {
    const key = await keyOf(scope);
    for (const { operation, field } of carriers()) {
      const address = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? name);
      const answer = await send(operation.method, service.url + address, key, bodyOf(operation, field));
      expect([operation.method, address, field, answer.status, answer.body.code]).toEqual([
        operation.method,
        address,
        field,
        403,
        expect.stringMatching(/^(missing_scope|role_needs_admin)$/),
      ]);
    }
    expect(await show(ids['user_id']!)).toMatchObject({ role: 'User' });
  });
});

const api = (key: string): Client => client(`${service.url}/api/v1`, key);

describe('a key with users:write', () => {
  it('gives and takes every other role', async () => {
    const key = api(await keyOf('users:write'));
    const made = await key.post('/users', person({ role: 'Observer' }));
    expect([made.status, made.body.role]).toEqual([201, 'Observer']);
    expect((await key.patch(`/users/${made.body.id}`, { role: 'User' })).body.role).toBe('User');
    await at.api.patch(`/users/${made.body.id}`, { role: 'Admin' });
    const taken = await key.patch(`/users/${made.body.id}`, { role: 'User' });
    expect([taken.status, taken.body.code]).toEqual([403, 'role_needs_admin']);
    expect(taken.body.detail).toContain('may take it');
  });

  it('sends an administrator back as read, and renames one', async () => {
    const key = api(await keyOf('users:read', 'users:write'));
    const { id } = (await at.api.post('/users', person({ role: 'Admin' }))).body;
    const read = (await key.get(`/users/${id}`)).body;
    expect((await key.patch(`/users/${id}`, { ...read, first_name: 'New' })).status).toBe(200);
  });

  it('gives the rights of an administrator to no other user', async () => {
    const key = api(await keyOf('users:write'));
    const { id } = (await at.api.post('/users', person({ role: 'Admin' }))).body;
    for (const change of [{ email: mail() }, { external_id: fresh() }]) {
      const answer = await key.patch(`/users/${id}`, change);
      expect([answer.status, answer.body.code, answer.body.scope]).toEqual([403, 'role_needs_admin', 'admin']);
    }
    expect((await key.patch(`/users/${id}`, { status: 'inactive' })).status).toBe(200);
    expect((await key.patch(`/users/${id}`, { status: 'active' })).body.code).toBe('role_needs_admin');
    expect((await at.api.patch(`/users/${id}`, { status: 'active' })).status).toBe(200);
  });

  it.each(['owner', 'break-glass account'])('neither deactivates nor deletes the %s', async (who) => {
    const house = await newHouse(service);
    const { body: made } = await house.api.post('/api-keys', { name: 'script', scopes: ['users:write'] });
    const { id } = (await house.api.post('/users', person())).body;
    await house.api.patch('/tenant', who === 'owner' ? { owner_user_id: id } : { break_glass: [id] });
    const key = api(made.api_key);
    for (const answer of [await key.patch(`/users/${id}`, { status: 'inactive' }), await key.delete(`/users/${id}`)]) {
      expect([answer.status, answer.body.code]).toEqual([403, 'role_needs_admin']);
    }
    expect((await house.api.get(`/users/${id}`)).body.status).toBe('active');
    expect((await house.api.patch(`/users/${id}`, { status: 'inactive' })).status).toBe(200);
  });

  it('leaves no role of the users API beside a role of the rules', async () => {
    const house = await newHouse(service);
    await house.api.patch('/tenant', { api_may_write_directory_users: true });
    const id = await madeUser(house.scim, user(mail()));
    const group = await madeGroup(house.scim, [id]);
    await house.api.put(`/directories/${house.directoryId}/rules`, { rules: [{ group_id: group, role: 'Admin' }] });
    const roleOf = async () => (await house.api.get(`/users/${id}`)).body.role;
    await eventually(roleOf, (role) => role === 'Admin');
    const made = await house.api.post('/api-keys', { name: 'script', scopes: ['users:write'] });
    const renamed = await api(made.body.api_key).patch(`/users/${id}`, { first_name: 'New', role: 'Admin' });
    expect(renamed.status).toBe(200);
    await house.scim.patch(`/Groups/${group}`, patch({ op: 'remove', path: 'members' }));
    expect(await eventually(roleOf, (role) => role !== 'Admin')).toBe('User');
  });
});

describe('a directory', () => {
  const asking = (...roles: string[]) => user(mail(), { roles: roles.map((value) => ({ value })) });

  it('gives an administering role by `roles` only when an admin has allowed it, and names the obstacle', async () => {
    const house = await newHouse(service, { default_role: 'Observer' });
    const id = await madeUser(house.scim, asking('Admin', 'User'));
    const other = await madeUser(house.scim, asking('Admin'));
    const roleOf = async (one: string) => (await house.api.get(`/users/${one}`)).body.role;
    expect([await roleOf(id), await roleOf(other)]).toEqual(['User', 'Observer']);
    const refused = { role: 'Admin', reason: 'role_needs_admin', words: expect.stringContaining('may_grant_console') };
    expect((await house.api.get(`/users/${id}/explain`)).body.refused_roles).toEqual([refused]);
    const shown = () => house.api.get(`/directories/${house.directoryId}`);
    const { body } = await eventually(shown, ({ body: { last_unknown_role: mark } }) => mark !== null);
    expect(body.last_unknown_role).toMatchObject({ role: 'Admin', reason: 'role_needs_admin' });
    expect((await house.scim.get(`/Users/${id}`)).body.roles).toHaveLength(2);

    await house.api.patch(`/directories/${house.directoryId}`, { may_grant_console: true });
    await eventually(() => roleOf(id), (role) => role === 'Admin'); // prettier-ignore
    await eventually(() => roleOf(other), (role) => role === 'Admin'); // prettier-ignore
    await house.api.patch(`/directories/${house.directoryId}`, { may_grant_console: false, administrators: 2 });
    await eventually(() => roleOf(id), (role) => role === 'User'); // prettier-ignore
  });

  it('loses the permission for a role that begins to administer', async () => {
    const house = await newHouse(service);
    const role = fresh();
    await house.api.post('/roles', { name: role, takes_seat: false });
    const id = await madeUser(house.scim, asking(role));
    const roleOf = async () => (await house.api.get(`/users/${id}`)).body.role;
    expect(await roleOf()).toBe(role);
    await house.api.patch(`/roles/${role}`, { console: 'auditor' });
    await eventually(roleOf, (now) => now === 'User');
    await house.api.patch(`/roles/${role}`, { console: 'none' });
    await eventually(roleOf, (now) => now === role);
  });
});

it('records each right that is given or taken as an event and a line of the audit log', async () => {
  const house = await newHouse(service);
  const { id } = (await house.api.post('/users', person({ role: 'Admin' }))).body;
  await house.api.patch(`/users/${id}`, { status: 'inactive' });
  await house.api.patch(`/users/${id}`, { status: 'active', role: 'User' });
  await house.api.patch('/tenant', { owner_user_id: id });
  await house.api.patch('/tenant', { owner_user_id: null });
  await house.api.patch('/roles/User', { console: 'auditor' });
  await house.api.patch('/roles/User', { console: 'none', administrators: 1 });
  await house.api.patch(`/users/${id}`, { role: 'Admin' });
  await house.api.delete(`/users/${id}`);
  const [admin, owner, auditor] = [
    { user_id: id, role: 'Admin', console: 'admin' },
    { user_id: id, role: null, console: 'admin' },
    { user_id: id, role: 'User', console: 'auditor' },
  ];
  const steps = [admin, owner, auditor, admin].flatMap((right) => [
    ['administrator.added', right],
    ['administrator.removed', { ...right, keys: [] }],
  ]);
  const events = (await house.api.get('/events?limit=200')).body.data.reverse();
  const told = events.filter(({ event }: { event: string }) => event.startsWith('administrator.'));
  expect(told.map(({ event, data }: { event: string; data: object }) => [event, data])).toEqual(steps);
  const lines = (await house.api.get(`/audit?target_type=user&target_id=${id}`)).body.data.reverse();
  expect(lines.map(({ action }: { action: string }) => action)).toEqual(steps.map(([event]) => event));
  expect(lines[0]).toMatchObject({ before: null, after: { role: 'Admin', console: 'admin' } });
  expect(lines[0].actor).toMatchObject({ kind: 'key' });
  expect((await house.api.post('/audit/verify', {})).body).toMatchObject({ ok: true });
});

it('keeps a role that very many users hold from administering', async () => {
  const house = await newHouse(service);
  await service.db.query(
    `insert into users (tenant_id, id, source, doc, user_name, user_name_key, active, first_name, last_name, role, status, seat)
     select $1, 'usr_many' || n, 'api', '{}', n::text, n::text, true, 'M', 'X', 'Observer', 'active', 'none'
     from generate_series(1, 1001) n`,
    [house.tenantId],
  );
  const refused = await house.api.patch('/roles/Observer', { console: 'admin' });
  expect([refused.status, refused.body.code]).toEqual([409, 'role_in_use']);
  expect(refused.body.detail).toContain('at most 1000');
});

describe('a session whose user has authenticated an hour ago', () => {
  let house: House;
  let old: ConsoleBrowser;
  beforeAll(async () => {
    house = await newHouse(service);
    old = await consoleBySignIn(service, house, await consoleUser(house, 'admin'));
    for (const table of ['sessions', 'console_sessions']) {
      await service.db.query(`update ${table} set authenticated_at = now() - interval '1 hour' where tenant_id = $1`, [
        house.tenantId,
      ]);
    }
  });
  const gate = async (method: string, path: string, body: object): Promise<unknown> => {
    const { status, body: answer } = await old.ask(method, path, body);
    return [status, answer.code];
  };
  const SIGN_IN_AGAIN = [401, 'sign_in_again'];

  it('makes no administrator by any field that carries authority', async () => {
    const { id } = (await house.api.post('/users', person({ external_id: 'stepup' }))).body;
    const own = { ...ids, user_id: id, id, external_id: 'stepup', directory_id: house.directoryId };
    const group = await madeGroup(house.scim, []);
    for (const { operation, field } of carriers()) {
      // A plan only reads.
      if (operation.path.endsWith('/rules/plan')) continue;
      const path = operation.path
        .replace('/api/v1', '')
        .replace(/\{(\w+)\}/g, (_, name: string) => (own as Record<string, string>)[name] ?? 'x');
      const body = field === 'rules' ? { rules: [{ group_id: group, role: 'Admin' }] } : bodyOf(operation, field);
      expect([operation.method, path, field, await gate(operation.method, path, body)]).toEqual([
        operation.method,
        path,
        field,
        SIGN_IN_AGAIN,
      ]);
    }
    const { body } = await house.api.get('/events?event=administrator.added&limit=200');
    expect(body.data.map(({ data }: { data: { user_id: string } }) => data.user_id)).not.toContain(id);
  });

  it.each<[string, (id: string) => [string, string, object]]>([
    ['releases no held user', (id) => ['POST', `/held/${id}/release`, {}]],
    ['releases no held users', () => ['POST', '/held/release', { reason: 'needs_admin' }]],
    ['brings no user back', () => ['POST', `/directories/${house.directoryId}/guard/undo`, {}]],
    ['gives an administrator no other e-mail', (id) => ['PATCH', `/users/${id}`, { email: mail() }]],
    ['activates no administrator', (id) => ['PATCH', `/users/${id}`, { status: 'active' }]],
    ['takes no role that administers', (id) => ['PATCH', `/users/${id}`, { role: 'User' }]],
  ])('%s', async (_, ask) => {
    const { id } = (await house.api.post('/users', person({ role: 'Admin' }))).body;
    const [method, path, body] = ask(id);
    if ('status' in body) await house.api.patch(`/users/${id}`, { status: 'inactive' });
    expect(await gate(method, path, body)).toEqual(SIGN_IN_AGAIN);
  });

  it('still writes users without a right', async () => {
    const made = await old.ask('POST', '/users', person());
    expect([made.status, made.body.role]).toEqual([201, 'User']);
    expect((await old.ask('PATCH', `/users/${made.body.id}`, { role: 'Observer', email: mail() })).status).toBe(200);
  });
});
