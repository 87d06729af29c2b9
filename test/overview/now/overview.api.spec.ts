import { certificate } from '../../auth/connections/support/metadata.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { commandLine } from '../../support/cli.js';
import { newHouse } from '../../support/house.js';
import { eventually, send } from '../../support/http.js';
import { long } from '../../support/rounds.js';
import { madeUser } from '../../support/scim.js';

const DAY_MS = 86_400_000;

let service: TestApp;
beforeAll(async () => {
  service = await sharedApp();
});
afterAll(() => service.close());

long('says what needs attention in the own tenant, and which first steps are done', async () => {
  const [at, other] = [await newHouse(service, { default_role: null }), await newHouse(service)];
  const { id: user } = (await at.api.post('/users', { email: 'o@x.example', first_name: 'O', last_name: 'X' })).body;
  await madeUser(at.scim);
  const keyUntil = (name: string, days: number) =>
    at.api.post('/api-keys', {
      name,
      scopes: ['users:read'],
      expires_at: new Date(Date.now() + days * DAY_MS).toISOString(),
    });
  const soon = await keyUntil('ends soon', 5);
  await keyUntil('ends late', 60);
  await at.api.patch('/tenant', { owner_user_id: user });
  const overview = await eventually(
    async () => (await at.api.get('/overview')).body,
    ({ first_steps, held }) => first_steps.request && first_steps.administrator && held.no_role === 1,
  );
  expect(overview).toMatchObject({
    destination: { state: 'no_platform_yet' },
    held: { no_role: 1 },
    seats: { used: 1, limit: null, waiting: 0 },
    directories: [{ id: at.directoryId, state: 'live', last_refusal: null, last_request_at: expect.any(String) }],
    expiries: [{ kind: 'api_key', id: soon.body.id, name: 'ends soon' }],
    first_steps: {
      directory: true,
      request: true,
      user: true,
      forwarded: false,
      connection: false,
      administrator: true,
    },
  });
  expect((await other.api.get('/overview')).body).toMatchObject({
    held: {},
    expiries: [],
    directories: [{ id: other.directoryId }],
    first_steps: { directory: true, request: false, user: false, administrator: false },
  });
  const shown = await commandLine(service, at.apiKey)('overview', '--json');
  expect(shown.json).toMatchObject({ seats: { used: 1 }, first_steps: { user: true } });
});

long('shows the certificate of a SAML connection that ends within 30 days', async () => {
  const at = await newHouse(service);
  const made = await at.api.post('/connections', {
    type: 'saml',
    name: 'Entra ID',
    slug: `saml-${at.tenantId.slice(-8)}`,
    idp_entity_id: `https://idp.example.com/${at.tenantId}`,
    sso_url: 'https://idp.example.com/sso',
    certificates: [await certificate(new Date(Date.now() + 5 * DAY_MS)), await certificate()],
  });
  expect(made.status).toBe(201);
  const { expiries } = (await at.api.get('/overview')).body;
  expect(expiries).toMatchObject([{ kind: 'certificate', id: made.body.id, name: 'Entra ID' }]);
});

it('answers 304 to the tag of the same answer, and needs each of its scopes', async () => {
  const at = await newHouse(service);
  const address = `${service.url}/api/v1/overview`;
  const tag = (await at.api.get('/overview')).headers.get('etag')!;
  const again = await send('GET', address, at.apiKey, undefined, { 'if-none-match': tag });
  expect([again.status, again.text]).toEqual([304, '']);
  const { body } = await at.api.post('/api-keys', { name: 'few', scopes: ['users:read', 'seats:read'] });
  expect((await send('GET', address, body.api_key)).status).toBe(403);
});
