import { adminApp, type AdminApp } from '../../support/admin-app.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/http.js';
import { long } from '../../support/rounds.js';

let database: TestDatabase;
let one: AdminApp;
let two: AdminApp;
beforeAll(async () => {
  database = await testDatabase();
  one = await adminApp({ TRUST_PROXY: '127.0.0.1' }, [], database);
  two = await adminApp({ TRUST_PROXY: '127.0.0.1' }, [], database);
});
afterAll(async () => {
  await one.close();
  await two.close();
  await database.close();
});

type Key = Record<'id' | 'api_key', string> & { allow_from: string[]; notices?: string[] };
const create = (allow_from: unknown) =>
  one.call('POST', '/api/v1/api-keys', { body: { name: 'bound', scopes: ['admin'], allow_from } });
const made = async (allow_from: string[]) => (await create(allow_from)).body as Key;
const change = (id: string, body: object, token?: string) =>
  one.call('PATCH', `/api/v1/api-keys/${id}`, { body, ...(token === undefined ? {} : { token }) });
const read = async (id: string) => (await one.call('GET', `/api/v1/api-keys/${id}`)).body;
/** A request with a key whose proxy says that it came from an address. */
const from = (address: string, token: string, method = 'GET', path = '/api/v1/me', app = one) =>
  app.call(method, path, {
    token,
    headers: { 'x-forwarded-for': address },
    ...(method === 'POST' ? { body: {} } : {}),
  });

long('is taken from its networks alone, and tells the address of a refused request to the admin only', async () => {
  const key = await made(['203.0.113.0/24', '2001:db8::/32']);
  expect((await from('203.0.113.9', key.api_key)).status).toBe(200);
  expect((await from('2001:db8::7', key.api_key)).status).toBe(200);
  expect((await from('::ffff:203.0.113.9', key.api_key)).status).toBe(200);

  const refused = await from('198.51.100.7', key.api_key);
  expect([refused.status, refused.body.code]).toEqual([403, 'outside_allow_from']);
  expect(JSON.stringify(refused.body)).not.toContain('198.51.100.7');
  for (const [method, path] of [
    ['GET', '/api/v1/users'],
    ['POST', '/api/v1/users'],
    ['GET', '/v1/me'],
    ['GET', '/api/users'],
  ] as const) {
    expect([path, (await from('198.51.100.7', key.api_key, method, path)).body.code]).toEqual([
      path,
      'outside_allow_from',
    ]);
  }
  const last = await eventually(
    async () => (await read(key.id)).last_refusal as Record<string, string> | null,
    (shown) => shown !== null,
    20_000,
  );
  expect(last).toEqual({ at: expect.any(String), reason: 'outside_allow_from', address: '198.51.100.7' });
  const listed = (await one.call('GET', '/api/v1/api-keys')).body.data as Key[];
  expect(listed.find(({ id }) => id === key.id)).toMatchObject({
    allow_from: ['203.0.113.0/24', '2001:db8::/32'],
    last_refusal: last,
  });
});

long('is changed at once here, and within a second on every other process', async () => {
  const key = await made(['203.0.113.0/24']);
  const status = async (app: AdminApp) => (await from('198.51.100.7', key.api_key, 'GET', '/api/v1/me', app)).status;
  expect([await status(one), await status(two)]).toEqual([403, 403]);
  expect((await change(key.id, { allow_from: [] })).body.allow_from).toEqual([]);
  expect(await status(one)).toBe(200);
  await eventually(
    () => status(two),
    (seen) => seen === 200,
    5_000,
  );
  await change(key.id, { allow_from: ['203.0.113.0/24'] });
  expect(await status(one)).toBe(403);
  await eventually(
    () => status(two),
    (seen) => seen === 403,
    5_000,
  );
});

it('hands its networks on to the key that replaces it', async () => {
  const old = await made(['127.0.0.0/8']);
  const next = (await one.call('POST', `/api/v1/api-keys/${old.id}/rotate`)).body as Key;
  expect(next.allow_from).toEqual(['127.0.0.0/8']);
  expect((await from('198.51.100.7', next.api_key)).status).toBe(403);
  expect((await from('127.0.0.1', next.api_key)).status).toBe(200);
});

it('takes a list that shuts out its author, and says so', async () => {
  const notice = ['allow_from does not admit the address of this request: 127.0.0.1.'];
  const key = await made(['203.0.113.0/24']);
  expect(key.notices).toEqual(notice);
  expect((await change(key.id, { allow_from: ['127.0.0.0/8'] })).body).not.toHaveProperty('notices');
  const own = await change(key.id, { allow_from: ['127.0.0.8'] }, key.api_key);
  expect([own.status, own.body.notices]).toEqual([200, notice]);
  expect((await change(key.id, { allow_from: [] }, key.api_key)).status).toBe(403);
  expect(await read(key.id)).not.toHaveProperty('notices');
  expect((await one.call('POST', `/api/v1/api-keys/${key.id}/rotate`)).body.notices).toEqual(notice);
  const made2 = await one.call('POST', `/api/v1/tenants/${one.tenant.id}/api-keys`, {
    token: one.operatorToken,
    body: { name: 'k', scopes: ['admin'], allow_from: ['203.0.113.0/24'] },
  });
  expect(made2.body.notices).toEqual(notice);
});

it('makes, changes and rotates keys within its own networks alone', async () => {
  const key = await made(['127.0.0.0/8', '2001:db8::/32']);
  const open = await made([]);
  const by = (method: string, path: string, body?: object) =>
    one.call(method, `/api/v1/api-keys${path}`, { token: key.api_key, body: body ?? {} });
  const make = (more: object) => by('POST', '', { name: 'k', scopes: ['admin'], ...more });
  const refusal = ({ status, body }: { status: number; body: { errors?: { field: string }[] } }) => [
    status,
    body.errors?.[0]?.field,
  ];

  expect((await make({})).body.allow_from).toEqual(key.allow_from);
  expect((await make({ allow_from: ['127.1.0.0/16', '127.0.0.1', '2001:db8:7::/48'] })).status).toBe(201);
  expect(refusal(await make({ allow_from: [] }))).toEqual([422, 'allow_from']);
  expect(refusal(await make({ allow_from: ['127.0.0.1', '203.0.113.0/24'] }))).toEqual([422, 'allow_from[1]']);
  expect(refusal(await make({ allow_from: ['126.0.0.0/7'] }))).toEqual([422, 'allow_from[0]']);
  expect(refusal(await make({ allow_from: ['::/0'] }))).toEqual([422, 'allow_from[0]']);
  expect(refusal(await by('PATCH', `/${key.id}`, { allow_from: [] }))).toEqual([422, 'allow_from']);
  expect(refusal(await by('POST', `/${open.id}/rotate`))).toEqual([422, 'allow_from']);
  expect((await by('PATCH', `/${open.id}`, { name: 'renamed' })).status).toBe(200);
  expect((await by('POST', `/${key.id}/rotate`)).body.allow_from).toEqual(key.allow_from);
  expect((await from('198.51.100.7', open.api_key)).status).toBe(200);
});

it('422 by place: no network, everywhere beside others, more than 100', async () => {
  const { id } = await made([]);
  for (const write of [create, (allow_from: unknown) => change(id, { allow_from })]) {
    const fieldOf = async (list: unknown) => {
      const { status, body } = await write(list);
      return [status, body.errors[0].field as string];
    };
    expect(await fieldOf(['203.0.113.0/24', 'example.com'])).toEqual([422, 'allow_from[1]']);
    expect(await fieldOf([7])).toEqual([422, 'allow_from[0]']);
    expect(await fieldOf(['203.0.113.0/24', '0.0.0.0/0'])).toEqual([422, 'allow_from[1]']);
    expect(await fieldOf('203.0.113.0/24')).toEqual([422, 'allow_from']);
    expect(await fieldOf(null)).toEqual([422, 'allow_from']);
    expect(await fieldOf(Array.from({ length: 101 }, (_, i) => `10.0.${i}.0/24`))).toEqual([422, 'allow_from']);
    expect((await write(['0.0.0.0/0'])).status).toBeLessThan(300);
  }
});

long('changes name and networks with a line in the audit log, without an address of a refused request', async () => {
  const key = await made(['203.0.113.0/24']);
  await from('198.51.100.7', key.api_key);
  await eventually(
    () => read(key.id),
    (shown) => shown.last_refusal !== null,
    20_000,
  );
  const changed = await change(key.id, { name: 'renamed', allow_from: ['127.0.0.1'] });
  expect(changed.body).toMatchObject({ name: 'renamed', allow_from: ['127.0.0.1'], scopes: ['admin'] });
  expect((await change(key.id, {})).body.name).toBe('renamed');
  const { data } = (await one.call('GET', `/api/v1/audit?limit=10`)).body as {
    data: { action: string; target_id: string; before: Key; after: Key }[];
  };
  const [, line] = data.filter(({ target_id, action }) => target_id === key.id && action === 'api_key.changed');
  expect([line!.before, line!.after]).toMatchObject([
    { name: 'bound', allow_from: ['203.0.113.0/24'] },
    { name: 'renamed', allow_from: ['127.0.0.1'] },
  ]);
  expect(JSON.stringify(data)).not.toContain('198.51.100.7');
});

it('refuses a change of a key that has ended, of an unknown key, and of other fields', async () => {
  const key = await made([]);
  expect((await change(key.id, { scopes: ['users:read'] })).status).toBe(422);
  expect((await change('key_01k0000000abcdefghjkmnpqrs', { name: 'x' })).status).toBe(404);
  await one.call('DELETE', `/api/v1/api-keys/${key.id}`);
  const ended = await change(key.id, { allow_from: [] });
  expect([ended.status, ended.body.code]).toEqual([409, 'credential_ended']);
});

it('can still be changed during the overlap of its rotation', async () => {
  const key = await made([]);
  await one.call('POST', `/api/v1/api-keys/${key.id}/rotate`, { body: { overlap_seconds: 600 } });
  expect((await change(key.id, { allow_from: ['203.0.113.0/24'] })).status).toBe(200);
  expect((await from('198.51.100.7', key.api_key)).status).toBe(403);
});
