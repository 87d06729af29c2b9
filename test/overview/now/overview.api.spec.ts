import { mintToken } from '../../../src/base/crypto/tokens.js';
import { certificate } from '../../auth/connections/support/metadata.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { commandLine } from '../../support/cli.js';
import { newHouse, type House } from '../../support/house.js';
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

describe('attention', () => {
  const attentionOf = async (house: House): Promise<Record<string, unknown>[]> =>
    (await house.api.get('/overview')).body.attention;

  it('shows a refused token at the directory whose prefix it has, else at the tenant with its address', async () => {
    const at = await newHouse(service);
    const second = await service.newDirectory(at.tenantId, { name: 'Second' });
    const users = (token: string) => send('GET', `${service.url}/scim/v2/Users`, token);
    expect((await users(second.token.slice(0, -7))).status).toBe(401);
    const own = await eventually(
      () => attentionOf(at),
      (lines) => lines.length > 0,
    );
    expect(own).toMatchObject([
      { code: 'directory.refused', kind: 'directory', id: second.id, since: expect.any(String) },
    ]);
    expect((await users(mintToken('tbs', at.tenantId).token)).status).toBe(401);
    const both = await eventually(
      () => attentionOf(at),
      (lines) => lines.length > 1,
    );
    expect(both[1]).toMatchObject({
      code: 'tenant.refused_token',
      words: expect.stringMatching(/address (::ffff:)?127\.0\.0\.1/),
    });
    const { body: first } = await at.api.get(`/directories/${at.directoryId}`);
    expect(first.last_refusal).toBeNull();
  });

  it('names held users by their reason, and what ends the hold', async () => {
    const at = await newHouse(service, { default_role: null });
    await madeUser(at.scim);
    const lines = await eventually(
      () => attentionOf(at),
      (shown) => shown.length > 0,
    );
    expect(lines).toMatchObject([
      { severity: 'warning', code: 'held.no_role', kind: 'held', act: expect.stringContaining('group') },
    ]);
  });
});
