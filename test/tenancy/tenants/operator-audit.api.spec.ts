import { startApp, type TestApp } from '../../support/app.js';
import { consoleByLink, type ConsoleBrowser } from '../../support/console.js';
import { newHouse, type House } from '../../support/house.js';
import { send } from '../../support/http.js';
import { declaredRoutes } from '../../support/routes.js';
import { fresh, madeUser, user } from '../../support/scim.js';

let service: TestApp;
let house: House;
let session: ConsoleBrowser;
beforeAll(async () => {
  service = await startApp();
  session = await consoleByLink(service, 'operator');
  house = await newHouse(service);
});
afterAll(() => service.close());

const operate = (method: string, path: string, body?: unknown) =>
  send(method, `${service.url}/api/v1${path}`, service.operatorToken, body);

/** Operations of the operator's session of the console alone. */
const BY_SESSION = ['POST /tenants/:tenant_id/enter', 'POST /tenants/:tenant_id/leave'];

/** A request for each operation of the operator that writes, by `METHOD path`. */
const REQUESTS: Record<string, () => Promise<[path: string, body?: unknown]>> = {
  'POST /tenants': async () => ['/tenants', { name: fresh('T ') }],
  'PATCH /tenants/:tenant_id': async () => [`/tenants/${house.tenantId}`, { name: fresh('T ') }],
  'POST /tenants/:tenant_id/api-keys': async () => [
    `/tenants/${house.tenantId}/api-keys`,
    { name: 'k', scopes: ['users:read'] },
  ],
  'DELETE /tenants/:tenant_id/api-keys/:key_id': async () => {
    const { body } = await operate('POST', `/tenants/${house.tenantId}/api-keys`, {
      name: 'k',
      scopes: ['users:read'],
    });
    return [`/tenants/${house.tenantId}/api-keys/${body.id}`];
  },
  'PUT /tenants/:tenant_id/domains/:domain': async () => [
    `/tenants/${house.tenantId}/domains/${fresh('d')}.example.com`,
    {},
  ],
  'DELETE /tenants/:tenant_id/domains/:domain': async () => {
    const path = `/tenants/${house.tenantId}/domains/${fresh('d')}.example.com`;
    await operate('PUT', path, {});
    return [path];
  },
  'PUT /tenants/:tenant_id/storage': async () => [`/tenants/${house.tenantId}/storage`, { limit_bytes: 1_073_741_824 }],
  'POST /tenants/:tenant_id/owner-sign-in-link': async () => {
    const owner = await madeUser(house.scim, user(`${fresh()}@x.example`));
    await house.api.patch('/tenant', { owner_user_id: owner });
    return [`/tenants/${house.tenantId}/owner-sign-in-link`, {}];
  },
  'POST /installation/console-links': async () => ['/installation/console-links', { role: 'operator', reason: 'r' }],
  'POST /tenants/:tenant_id/enter': async () => [`/tenants/${house.tenantId}/enter`, { reason: 'r' }],
  'POST /tenants/:tenant_id/leave': async () => {
    await session.ask('POST', `/tenants/${house.tenantId}/enter`, { reason: 'r' });
    return [`/tenants/${house.tenantId}/leave`, {}];
  },
  'POST /tenants/keys/rotate': async () => ['/tenants/keys/rotate', {}],
  'POST /tenants/keys/signing/rotate': async () => ['/tenants/keys/signing/rotate', { purpose: 'jwt' }],
};

/** The lines of both logs: those of all tenants, and those of the installation. */
async function lines(): Promise<number> {
  const { rows } = await service.db.query<{ count: number }>(
    `select (select count(*) from audit_entries)::int + (select count(*) from installation_audit)::int as count`,
  );
  return rows[0]!.count;
}

const writes = () =>
  declaredRoutes(service.app.nest)
    .filter(({ demand, method }) => demand === 'operator' && method !== 'GET')
    .map(({ method, paths }) => `${method} ${paths[0]!.replace(/^\/api\/v1/, '')}`);

it('has a request for each writing operation of the operator', () => {
  expect(Object.keys(REQUESTS).sort()).toEqual(writes().sort());
});

it.each(Object.keys(REQUESTS))('%s writes an audit line, of the tenant or of the installation', async (operation) => {
  const [path, body] = await REQUESTS[operation]!();
  const before = await lines();
  const method = operation.split(' ')[0]!;
  const answer = BY_SESSION.includes(operation)
    ? await session.ask(method, path, body)
    : await operate(method, path, body);
  expect([answer.status < 300, answer.text.slice(0, 300)]).toEqual([true, expect.any(String)]);
  expect(await lines()).toBeGreaterThan(before);
});

it('shows acts without a tenant to the operator alone, without secrets', async () => {
  const { body, status, text } = await operate('GET', '/installation/audit');
  expect(status).toBe(200);
  const actions = body.data.map(({ action }: { action: string }) => action);
  expect(actions).toEqual(expect.arrayContaining(['secrets.resealed', 'signing_key.rotated', 'schema.migrated']));
  expect(body.data[0].actor).toMatchObject({ kind: 'operator' });
  expect(text).not.toMatch(/PRIVATE KEY/);
  expect((await house.api.get('/installation/audit')).status).toBe(403);
  const [first] = (await operate('GET', '/installation/audit?limit=1')).body.data;
  expect(first).toEqual(body.data[0]);
});

it('the database refuses to change or delete a line of the installation', async () => {
  for (const sql of [
    `update installation_audit set action = 'x'`,
    `delete from installation_audit`,
    `truncate installation_audit`,
  ]) {
    await expect(service.db.execute(sql)).rejects.toThrow(/append-only/);
  }
});
