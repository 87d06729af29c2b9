import { startApp, type TestApp } from '../../support/app.js';
import { askToken, secretForm, type MadeClient } from '../../support/clients.js';
import { eventually, send } from '../../support/http.js';

let service: TestApp;
beforeAll(async () => {
  service = await startApp({ TRUST_PROXY: '127.0.0.1' });
});
afterAll(() => service.close());

const setting = (allow_from?: unknown) => {
  const url = `${service.url}/api/v1/directories/${service.tenant.directoryId}`;
  return send(
    allow_from === undefined ? 'GET' : 'PATCH',
    url,
    service.tenant.apiKey,
    allow_from === undefined ? undefined : { allow_from },
  );
};
/** A SCIM request whose proxy says that it came from an address. */
const from = (address: string, token = service.tenant.scimToken, url = '/Users?count=0') =>
  fetch(`${service.url}/scim/v2${url}`, {
    headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': address },
  });

it('takes requests of its networks alone, and tells the address of a refused one to the admin only', async () => {
  expect((await from('198.51.100.7')).status).toBe(200);
  const set = await setting(['203.0.113.0/24', '2001:db8::/32']);
  expect(set.body.allow_from).toEqual(['203.0.113.0/24', '2001:db8::/32']);
  expect((await from('203.0.113.9')).status).toBe(200);
  expect((await from('2001:db8::7')).status).toBe(200);

  const refused = await from('198.51.100.7');
  const text = await refused.text();
  expect([refused.status, JSON.parse(text)]).toMatchObject([403, { status: '403' }]);
  expect(text).not.toContain('198.51.100.7');
  const last = await eventually(
    async () => (await setting()).body.last_refusal,
    (shown) => shown?.reason === 'outside_allow_from',
  );
  expect(last.address).toBe('198.51.100.7');
  for (const write of ['/Users', '/Bulk', '/.search', '/Schemas']) {
    const method = write === '/Schemas' ? 'GET' : 'POST';
    const headers = { authorization: `Bearer ${service.tenant.scimToken}`, 'x-forwarded-for': '198.51.100.7' };
    expect((await fetch(`${service.url}/scim/v2${write}`, { method, headers })).status).toBe(403);
  }

  await setting([]);
  expect((await from('198.51.100.7')).status).toBe(200);
});

it('takes a list that shuts out its author, and says so', async () => {
  const answer = await setting(['203.0.113.0/24']);
  expect([answer.status, answer.body.notices]).toEqual([200, [expect.stringContaining('127.0.0.1')]]);
  expect((await setting(['127.0.0.0/8'])).body).not.toHaveProperty('notices');
  expect((await setting()).body).not.toHaveProperty('notices');
  await setting([]);
});

it('422 by place: no network, everywhere beside others, more than 100', async () => {
  const fieldOf = async (list: unknown) => {
    const { status, body } = await setting(list);
    return [status, body.errors[0].field as string];
  };
  expect(await fieldOf(['203.0.113.0/24', 'example.com'])).toEqual([422, 'allow_from[1]']);
  expect(await fieldOf([7])).toEqual([422, 'allow_from[0]']);
  expect(await fieldOf(['203.0.113.0/24', '0.0.0.0/0'])).toEqual([422, 'allow_from[1]']);
  expect(await fieldOf('203.0.113.0/24')).toEqual([422, 'allow_from']);
  expect(await fieldOf(Array.from({ length: 101 }, (_, i) => `10.0.${i}.0/24`))).toEqual([422, 'allow_from']);
  expect((await setting(['0.0.0.0/0'])).status).toBe(200);
  await setting([]);
});

it('gives no access token to a client outside its networks, and takes none from there', async () => {
  const url = `${service.url}/api/v1/directories/${service.tenant.directoryId}/clients`;
  const client = (await send('POST', url, service.tenant.apiKey, { kind: 'secret' })).body as MadeClient;
  const ask = (address: string) => askToken(service.url, secretForm(client), { 'x-forwarded-for': address });
  await setting(['203.0.113.0/24']);
  const refused = await ask('198.51.100.7');
  expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client']);
  const last = await eventually(
    async () => (await setting()).body.last_refusal,
    (shown) => shown?.client_id === client.id,
  );
  expect(last).toMatchObject({ reason: 'outside_allow_from', address: '198.51.100.7', kind: 'secret' });
  const given = await ask('203.0.113.9');
  expect(given.status).toBe(200);
  const token = given.body.access_token as string;
  expect([(await from('203.0.113.9', token)).status, (await from('198.51.100.7', token)).status]).toEqual([200, 403]);
  await setting([]);
});
