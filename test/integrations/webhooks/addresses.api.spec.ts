import { startApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { eventually, send } from '../../support/http.js';
import { NameServer } from '../../support/name-server.js';
import { receiver, type Receiver } from './support/receiver.js';

// As in production: private addresses are not admitted. Names of tenants are looked up at a name server of the test.
let service: TestApp;
let names: NameServer;
let at: House;
beforeAll(async () => {
  names = await NameServer.start();
  service = await startApp({
    ALLOW_PRIVATE_DESTINATIONS: 'off',
    DNS_SERVERS: names.address,
    BASE_URL: 'https://bridge.example.com',
    API_BASE_URL: 'https://api.example.com',
    APP_URL: 'https://app.example.com',
  });
  at = await newHouse(service);
});
afterAll(async () => {
  await service.close();
  await names.close();
});
beforeEach(() => {
  names.zone.clear();
  names.zone.set('hooks.example.org', { a: ['93.184.216.34'] });
});

const GOOD = 'https://hooks.example.org/catch/1';
const refusalOf = async (
  answer: Promise<{ status: number; body: { errors?: { field: string; message: string }[] } }>,
) => {
  const { status, body } = await answer;
  return [status, body.errors?.[0]?.field, body.errors?.[0]?.message];
};

const REFUSED: [string, string][] = [
  ['http://hooks.example.org/x', 'must begin with https://'],
  ['https://127.0.0.1/x', 'must be a public address'],
  ['https://2130706433/x', 'must be a public address'],
  ['https://0x7f.1/x', 'must be a public address'],
  ['https://[::ffff:7f00:1]/x', 'must be a public address'],
  ['https://LOCALHOST/x', 'must be a public address'],
  ['https://localhost./x', 'must be a public address'],
  ['https://x.localhost/x', 'must be a public address'],
  ['https://db.internal/x', 'must be a public address'],
  ['https://169.254.169.254/latest', 'must be a public address'],
  ['https://metadata.google.internal/x', 'must not be a metadata service'],
  ['https://hooks.example.org./x', 'must not end its host name with a dot'],
  ['https://hooks.example.org/x#part', 'must not have a fragment'],
  ['https://a:b@hooks.example.org/x', 'must not contain a user name'],
  ['https://hooks.example.org:22/x', 'must use port 443, or one from 1024'],
  ['https://bridge.example.com/api', 'must not be an address of this service'],
  ['https://API.example.com:8443/v1/candidates', 'must not be an address of this service'],
  ['https://app.example.com/', 'must not be an address of this service'],
  ['https://unknown.example.org/x', 'cannot be reached'],
  ['https://silent.example.org/x', 'cannot be reached'],
  ['https://private.example.org/x', 'must lead to public addresses alone'],
  ['https://mixed.example.org/x', 'must lead to public addresses alone'],
  ['https://meta.example.org/x', 'must lead to public addresses alone'],
];

describe.each(REFUSED)('%s', (url, message) => {
  beforeEach(() => {
    names.zone.set('silent.example.org', 'servfail');
    names.zone.set('private.example.org', { a: ['10.0.0.7'] });
    names.zone.set('mixed.example.org', { a: ['93.184.216.34', '192.168.0.1'] });
    names.zone.set('meta.example.org', { a: ['169.254.169.254'] });
  });
  const expected = [422, 'url', expect.stringContaining(message)];

  it('is refused at save, change, test and resume, and paused at delivery', async () => {
    expect(await refusalOf(at.api.post('/webhooks', { url }))).toEqual(expected);
    const { id } = (await at.api.post('/webhooks', { url: GOOD })).body as { id: string };
    expect(await refusalOf(at.api.patch(`/webhooks/${id}`, { url }))).toEqual(expected);
    // As if the rule, or the name, had changed since it was saved.
    await service.db.execute(`update webhook_endpoints set url = '${url}' where id = '${id}'`);
    expect(await refusalOf(at.api.post(`/webhooks/${id}/test`, {}))).toEqual(expected);
    await at.api.post(`/webhooks/${id}/pause`, {});
    expect(await refusalOf(at.api.post(`/webhooks/${id}/resume`, {}))).toEqual(expected);
    await at.api.delete(`/webhooks/${id}`);
  });
});

it('pauses an endpoint whose address is refused at delivery, and shows no answer', async () => {
  const here = await newHouse(service);
  const { id } = (await here.api.post('/webhooks', { url: GOOD })).body as { id: string };
  names.zone.set('hooks.example.org', { a: ['127.0.0.1'] });
  await here.api.post('/candidates', { first_name: 'A', last_name: 'B', email: 'a@x.example', external_id: 'gh_1' });
  const state = await eventually(
    async () => (await here.api.get(`/webhooks/${id}`)).body as object,
    (body) => (body as { state: string }).state === 'disabled',
  );
  expect(state).toMatchObject({ state_reason: 'address_refused', waiting: 1 });
  // The endpoint is disabled before the attempt is kept.
  const attempts = await eventually(
    async () => (await here.api.get(`/webhooks/${id}/attempts`)).body.data as object[],
    ({ length }) => length > 0,
  );
  expect(attempts).toMatchObject([{ outcome: 'address_refused', status: null, answer: null, address: null }]);
  expect(attempts).toHaveLength(1);
});

it('names the tenant’s own address as one of this service', async () => {
  const path = `${service.url}/api/v1/tenants/${at.tenantId}`;
  const changed = await send('PATCH', path, service.operatorToken, { base_url: 'https://acme.example.net' });
  expect(changed.status).toBe(200);
  names.zone.set('acme.example.net', { a: ['93.184.216.34'] });
  expect(await refusalOf(at.api.post('/webhooks', { url: 'https://acme.example.net/hook' }))).toEqual([
    422,
    'url',
    'must not be an address of this service',
  ]);
});

describe('ALLOW_DESTINATION_NETWORKS', () => {
  let open: TestApp;
  let hook: Receiver;
  let house: House;
  beforeAll(async () => {
    hook = await receiver();
    open = await startApp({
      ALLOW_PRIVATE_DESTINATIONS: 'off',
      ALLOW_DESTINATION_NETWORKS: '127.0.0.0/8,10.0.0.0/8',
      DNS_SERVERS: names.address,
    });
    house = await newHouse(open);
  });
  afterAll(async () => {
    await hook.close();
    await open.close();
  });

  it('admits plain http in these networks, by address and by name', async () => {
    names.zone.set('hook.corp.example', { a: ['127.0.0.1'] });
    for (const url of [hook.url, hook.url.replace('127.0.0.1', 'hook.corp.example')]) {
      const made = await house.api.post('/webhooks', { url });
      expect(made.status).toBe(201);
      const tried = await house.api.post(`/webhooks/${made.body.id}/test`, {});
      expect(tried.body).toMatchObject({ outcome: 'delivered', address: '127.0.0.1' });
    }
  });

  it('admits no other private address, no plain http elsewhere, and no metadata service', async () => {
    names.zone.set('public.example.org', { a: ['93.184.216.34'] });
    names.zone.set('mixed.example.org', { a: ['10.0.0.1', '192.168.0.1'] });
    for (const url of [
      'https://192.168.0.1/x',
      'https://169.254.169.254/x',
      'http://93.184.216.34/x',
      'http://public.example.org/x',
      'https://mixed.example.org/x',
    ]) {
      expect((await refusalOf(house.api.post('/webhooks', { url }))).slice(0, 2)).toEqual([422, 'url']);
    }
    expect((await house.api.post('/webhooks', { url: 'https://public.example.org/x' })).status).toBe(201);
  });
});
