import { startApp, type TestApp } from '../support/app.js';
import { startBeside, type Beside } from '../support/beside.js';
import { client, eventually, send, type Client } from '../support/http.js';
import { accessTokenOf, type MadeClient } from '../support/clients.js';
import { newHouse, type House } from '../support/house.js';
import { fresh, madeGroup, madeUser, patch, scim, user } from '../support/scim.js';
import { rounds } from '../support/rounds.js';
import { hostileOp, type HostileOp } from '../protocols/oidc/support/op.js';
import { OidcWay, trustDomain } from '../support/sign-in/connections.js';

// The built service as two processes on one database: a change of settings that one of them has answered is in force
// with the very next request at the other, in spite of its caches.
const ROUNDS = rounds(6, 2);
let service: TestApp;
let house: House;
const processes: Beside[] = [];
let operator: Client[];
let op: HostileOp;

beforeAll(async () => {
  service = await startApp({ ROLE: 'api' });
  house = await newHouse(service);
  op = await hostileOp(() => new Date());
  for (let i = 0; i < 2; i++) processes.push(await startBeside(service));
  operator = processes.map(({ url }) => client(`${url}/api/v1`, service.operatorToken));
});
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await op.stop();
  await service.close();
});

interface Side {
  api: Client;
  scim: Client;
  operator: Client;
  url: string;
}

/** Runs a test with the two sides in turns; what is cached in between is as old as it comes. */
async function inTurns(work: (here: Side, there: Side, round: number) => Promise<void>): Promise<void> {
  const sides = processes.map(({ url }, i) => ({
    url,
    api: client(`${url}/api/v1`, house.apiKey),
    scim: scim(url, house.scimToken),
    operator: operator[i]!,
  }));
  for (let round = 0; round < ROUNDS; round++) {
    const [here, there] = round % 2 === 0 ? [sides[0]!, sides[1]!] : [sides[1]!, sides[0]!];
    await work(here, there, round);
  }
}

async function answered(answer: Promise<{ status: number; text: string }>): Promise<void> {
  const { status, text } = await answer;
  if (status >= 300) throw new Error(`${status} ${text.slice(0, 300)}`);
}

it('knows a new and a revoked SCIM token on both processes', async () => {
  await inTurns(async (here, there) => {
    const at = `/directories/${house.directoryId}/tokens`;
    const { body } = await here.api.post(at, { name: 'next' });
    const other = scim(there.url, body.scim_token as string);
    expect((await other.get('/Users?count=0')).status).toBe(200);
    await answered(here.api.delete(`${at}/${body.id}?force=true`));
    expect((await other.get('/Users?count=0')).status).toBe(401);
  });
});

it('knows a client, its access tokens and their end on both processes', async () => {
  await inTurns(async (here, there) => {
    const at = `/directories/${house.directoryId}/clients`;
    const { body } = await here.api.post(at, { kind: 'secret' });
    const made = body as MadeClient;
    const other = scim(there.url, await accessTokenOf(here.url, made));
    expect((await other.get('/Users?count=0')).status).toBe(200);
    const own = scim(here.url, await accessTokenOf(there.url, made));
    expect((await own.get('/Users?count=0')).status).toBe(200);
    await answered(here.api.delete(`${at}/${made.id}/secrets/${made.secrets[0]!.id}?force=true`));
    expect([(await other.get('/Users?count=0')).status, (await own.get('/Users?count=0')).status]).toEqual([401, 401]);
    const next = await here.api.post(`${at}/${made.id}/secrets`, {});
    const last = scim(there.url, await accessTokenOf(there.url, { ...made, client_secret: next.body.client_secret }));
    expect((await last.get('/Users?count=0')).status).toBe(200);
    await answered(here.api.delete(`${at}/${made.id}?force=true`));
    expect((await last.get('/Users?count=0')).status).toBe(401);
  });
});

it('knows a new and a revoked API key on both processes', async () => {
  await inTurns(async (here, there) => {
    const { body } = await here.api.post('/api-keys', { name: 'next', scopes: ['users:read'] });
    const other = client(`${there.url}/api/v1`, body.api_key as string);
    expect((await other.get('/users?limit=1')).status).toBe(200);
    await answered(here.api.delete(`/api-keys/${body.id}`));
    expect((await other.get('/users?limit=1')).status).toBe(401);
  });
});

it('knows a changed default role of a directory on both processes', async () => {
  await inTurns(async (here, there, round) => {
    const role = round % 2 === 0 ? 'User' : 'Observer';
    await answered(there.scim.get('/Users?count=0'));
    await answered(here.api.patch(`/directories/${house.directoryId}`, { default_role: role }));
    const id = await madeUser(there.scim, user(`${fresh()}@e.com`));
    expect((await there.api.get(`/users/${id}`)).body.role).toBe(role);
  });
});

it('knows the first rule of a directory on both processes', async () => {
  await inTurns(async (here, there) => {
    const group = await madeGroup(there.scim);
    const id = await madeUser(there.scim, user(`${fresh()}@e.com`));
    const rules = `/directories/${house.directoryId}/rules`;
    await answered(here.api.put(rules, { rules: [] }));
    await answered(there.scim.get('/Users?count=0'));
    await answered(here.api.put(rules, { rules: [{ group_id: group, role: 'Admin' }] }));
    await answered(there.scim.patch(`/Groups/${group}`, patch({ op: 'add', path: 'members', value: [{ value: id }] })));
    await eventually(() => there.api.get(`/users/${id}`), ({ body }) => body.role === 'Admin'); // prettier-ignore
    await answered(here.api.put(rules, { rules: [], administrators: 1 }));
  });
});

it('knows on both processes whether a tenant lets the API write users of directories', async () => {
  const id = await madeUser(house.scim, user(`${fresh()}@e.com`));
  await inTurns(async (here, there, round) => {
    const may = round % 2 === 0;
    await answered(here.api.patch('/tenant', { api_may_write_directory_users: may }));
    const { status } = await there.api.patch(`/users/${id}`, { first_name: fresh() });
    expect([may, status]).toEqual([may, may ? 200 : 409]);
  });
});

it('knows a new role on both processes', async () => {
  await inTurns(async (here, there) => {
    const name = fresh('Role');
    const body = { email: `${fresh()}@e.com`, first_name: 'A', last_name: 'B', role: name };
    expect((await there.api.post('/users', body)).status).toBe(422);
    await answered(here.api.post('/roles', { name, takes_seat: false }));
    expect((await there.api.post('/users', body)).status).toBe(201);
  });
});

it('knows a changed address of a tenant on both processes', async () => {
  const id = await madeUser(house.scim, user(`${fresh()}@e.com`));
  await inTurns(async (here, there) => {
    const address = `https://${fresh('own')}.example.com`;
    await answered(here.operator.patch(`/tenants/${house.tenantId}`, { base_url: address }));
    expect((await there.scim.get(`/Users/${id}`)).body.meta.location).toBe(`${address}/scim/v2/Users/${id}`);
  });
  await answered(operator[0]!.patch(`/tenants/${house.tenantId}`, { base_url: null }));
});

it('knows a changed connection and its domain on both processes', async () => {
  await inTurns(async (here, there) => {
    const { id, slug } = await OidcWay.open(service, { ...house, api: here.api }, {}, op);
    const bySlug = async (): Promise<number> =>
      (await send('GET', `${there.url}/api/auth/login?connection=${slug}`, null)).status;
    expect(await bySlug()).toBe(302);
    const domain = `${fresh('d')}.example.com`;
    const byDomain = async (): Promise<number> =>
      (await send('GET', `${there.url}/api/auth/login?email=ada@${domain}`, null)).status;
    expect(await byDomain()).toBe(404);
    await trustDomain({ ...service, url: here.url }, house.tenantId, domain, { connection_id: id });
    expect(await byDomain()).toBe(302);
    await answered(here.api.patch(`/connections/${id}`, { enabled: false }));
    expect([await bySlug(), await byDomain()]).toEqual([403, 404]);
  });
});

it('knows new keys of the installation on both processes', async () => {
  await inTurns(async (here, there) => {
    const known = (await send('GET', `${there.url}/.well-known/jwks.json`, null)).body.keys as { kid: string }[];
    const rotated = await here.operator.post('/tenants/keys/signing/rotate', { purpose: 'jwt', retire_old: true });
    expect(rotated.status).toBe(200);
    const after = (await send('GET', `${there.url}/.well-known/jwks.json`, null)).body.keys as { kid: string }[];
    expect(after.map(({ kid }) => kid)).not.toEqual(known.map(({ kid }) => kid));
  });
});
