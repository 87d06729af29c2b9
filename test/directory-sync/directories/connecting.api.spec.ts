import { mintToken } from '../../../src/base/crypto/tokens.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { newHouse, type House } from '../../support/house.js';
import { eventually, send } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { madeUser, user } from '../../support/scim.js';

let service: TestApp;
let at: House;
beforeAll(async () => {
  service = await sharedApp();
});
beforeEach(async () => {
  at = await newHouse(service);
});
afterAll(() => service.close());

interface Seen {
  last_refusal: { reason: string; prefix: string; at: string } | null;
  last_unknown_role: { role: string; user_id: string; at: string } | null;
}
const directory = async (): Promise<Seen> => (await at.api.get(`/directories/${at.directoryId}`)).body as Seen;
const users = (authorization: string, method = 'GET') =>
  send(method, `${service.url}/scim/v2/Users`, null, method === 'GET' ? undefined : user('ada@example.com'), {
    authorization,
  });

describe('a credential that cannot be read', () => {
  const cases: [string, (token: string) => string, string][] = [
    ['was cut at its end', (token) => `Bearer ${token.slice(0, -7)}`, 'incomplete'],
    ['was cut to little more than its beginning', (token) => `Bearer ${token.slice(0, 40)}`, 'incomplete'],
    [
      'has another character',
      (token) => `Bearer ${token.slice(0, -1)}${token.endsWith('a') ? 'b' : 'a'}`,
      'incomplete',
    ],
    ['came with "Bearer" twice', (token) => `Bearer Bearer ${token}`, 'doubled_bearer'],
    ['came without "Bearer"', (token) => token, 'no_bearer'],
  ];
  it.each(cases)('that %s leaves its reason at the tenant that it names', async (_, spoiled, reason) => {
    for (const method of ['GET', 'POST']) {
      at = await newHouse(service);
      const sent = spoiled(at.scimToken);
      expect((await users(sent, method)).status).toBe(401);
      const { last_refusal: refusal } = await eventually(directory, ({ last_refusal }) => last_refusal !== null);
      expect(refusal).toEqual({ reason, prefix: expect.stringMatching(/^tbs_[0-9a-z]+_$/), at: expect.any(String) });
      expect(JSON.stringify(refusal)).not.toContain(at.scimToken.slice(-20, -8));
    }
  });

  long('of another kind leaves its reason too', async () => {
    const others = [at.apiKey, mintToken('tbn', at.tenantId).token, at.apiKey.slice(0, -3)];
    for (const [i, token] of others.entries()) {
      for (const method of ['GET', 'POST']) {
        at = i === 0 && method === 'GET' ? at : await newHouse(service);
        const own = i === 1 ? mintToken('tbn', at.tenantId).token : at.apiKey.slice(0, token.length);
        expect((await users(`Bearer ${own}`, method)).status).toBe(401);
        const seen = await eventually(directory, ({ last_refusal }) => last_refusal !== null);
        expect(seen.last_refusal).toMatchObject({ reason: 'not_a_scim_token' });
      }
    }
  });

  it('that names no tenant of ours is refused and noted nowhere', async () => {
    for (const header of ['Bearer x', 'Bearer', 'Basic YTpi', 'Bearer tbs_', `Bearer ${'tbs_'.repeat(2_000)}`]) {
      expect((await users(header)).status).toBe(401);
    }
    expect((await directory()).last_refusal).toBeNull();
  });
});

it('accepts a base address with a slash at its end', async () => {
  const id = await madeUser(at.scim, user('ada@example.com'));
  const get = (path: string) => send('GET', `${service.url}${path}`, at.scimToken);
  const listed = await get('/scim/v2//Users?filter=userName%20eq%20%22ada%40example.com%22');
  expect([listed.status, listed.body.totalResults]).toEqual([200, 1]);
  expect((await get(`/scim/v2//Users/${id}`)).body.meta.location).toMatch(/\/scim\/v2\/Users\/usr_\w+$/);
  expect((await get('/scim/v2///ServiceProviderConfig')).status).toBe(200);
  const made = await send('POST', `${service.url}/scim/v2//Users`, at.scimToken, user('ben@example.com'));
  expect(made.status).toBe(201);
  const refused = await get('/scim/v2//Users/usr_unknown');
  expect([refused.status, refused.body.schemas]).toEqual([404, ['urn:ietf:params:scim:api:messages:2.0:Error']]);
});

it('shows a role that the catalogue lacks at its directory, with its user', async () => {
  await madeUser(at.scim, user('ada@example.com', { roles: [{ value: 'User' }] }));
  expect((await directory()).last_unknown_role).toBeNull();
  const ben = await madeUser(at.scim, user('ben@example.com', { roles: [{ value: 'Recruiter' }] }));
  const seen = await eventually(directory, ({ last_unknown_role }) => last_unknown_role !== null);
  const facts = { role: 'Recruiter', user_id: ben, reason: 'unknown_role' };
  expect(seen.last_unknown_role).toEqual({ ...facts, at: expect.any(String) });
});
