import { mock } from 'node:test';
import { Activity } from '../../src/base/activity.js';
import { startApp, type TestApp } from '../support/app.js';
import { eventually, send } from '../support/http.js';
import { long } from '../support/rounds.js';

let edge: TestApp;
beforeAll(async () => {
  edge = await startApp({ RATE_LIMIT: '1' });
});
afterAll(() => edge.close());

long('slows background work for requests of known callers, and not for refused ones', async () => {
  const counted = mock.method(edge.app.nest.get(Activity), 'note');
  const read = async (token: string) => (await send('GET', `${edge.url}/scim/v2/Users`, token)).status;
  const { scimToken } = edge.tenant;
  const connection = {
    type: 'oidc',
    name: 'IdP',
    issuer: 'https://idp.example.com',
    client_id: 'a',
    client_secret: 'b',
  };
  const made = await send('POST', `${edge.url}/api/v1/connections`, edge.tenant.apiKey, connection);
  expect(made.status).toBe(201);
  let served = 1;
  let status: number;
  while ((status = await read(scimToken)) === 200) served++;
  expect([status, served > 1]).toEqual([429, true]);

  for (let i = 0; i < 3; i++) expect([401, 429]).toContain(await read(`wrong-${i}`));
  expect((await send('GET', `${edge.url}/no/such/address`, null)).status).toBe(404);
  // The slug of a connection is public: it names a tenant and proves nothing.
  const slug = String((made.body as { slug: unknown }).slug);
  const revocation = `${edge.url}/api/auth/global-token-revocation/${slug}`;
  expect((await send('POST', revocation, null, {})).status).toBe(401);
  expect((await send('GET', `${edge.url}/api/auth/callback/${slug}`, null)).status).toBe(400);
  // One that is served in the end shows that the answers before it are closed: they came one after the other.
  await eventually(
    () => read(scimToken),
    (answer) => answer === 200,
  );
  await eventually(
    () => Promise.resolve(counted.mock.callCount()),
    (calls) => calls > served,
  );
  expect(counted.mock.callCount()).toBe(served + 1);
});
