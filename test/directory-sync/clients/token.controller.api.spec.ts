import { sharedApp, type TestApp } from '../../support/app.js';
import { accessTokenOf, askToken, madeClient, secretForm, type MadeClient } from '../../support/clients.js';
import { newHouse, type House } from '../../support/house.js';
import { eventually, send } from '../../support/http.js';

let service: TestApp;
let at: House;
let client: MadeClient;
beforeAll(async () => {
  service = await sharedApp();
});
beforeEach(async () => {
  at = await newHouse(service);
  client = await madeClient(at);
});
afterAll(() => service.close());

const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
});
const users = (token: string) => send('GET', `${service.url}/scim/v2/Users`, token);
const lastRefusal = async (house = at) =>
  (await house.api.get(`/directories/${house.directoryId}`)).body.last_refusal as Record<string, string> | null;

describe('a client with a secret', () => {
  it('gets an access token that reads and writes its directory', async () => {
    const answer = await askToken(service.url, { ...secretForm(client), scope: 'https://example.com/.default' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      access_token: expect.stringMatching(/^tba_[0-9a-z]+_\w{49}$/),
      token_type: 'Bearer',
      expires_in: 3_600,
      scope: 'scim',
    });
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const token = answer.body.access_token as string;
    expect((await users(token)).body.totalResults).toBe(0);
    const body = { schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'], userName: 'ada@example.com' };
    const made = await send('POST', `${service.url}/scim/v2/Users`, token, body, {
      'content-type': 'application/scim+json',
    });
    expect(made.status).toBe(201);
    // The SCIM token of the directory is valid at the same time.
    expect((await users(at.scimToken)).body.totalResults).toBe(1);
    expect((await at.api.get('/users')).status).toBe(200);
    expect((await send('GET', `${service.url}/api/v1/users`, token)).status).toBe(401);
  });

  it('authenticates with Basic, id and secret encoded as in a form', async () => {
    const answer = await askToken(service.url, {}, basic(client.id, client.client_secret));
    expect([answer.status, answer.body.token_type]).toEqual([200, 'Bearer']);
  });

  it('gets tokens of the life that it is made with', async () => {
    const short = await madeClient(at, { access_token_seconds: 300 });
    expect((await askToken(service.url, secretForm(short))).body.expires_in).toBe(300);
  });
});
