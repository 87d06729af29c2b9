import { PlatformService } from '../../src/forwarding/platform/platform.service.js';
import { SandboxPlatform } from '../../src/sandbox/sandbox-platform.js';
import { startApp, type TestApp, type TestTenant } from '../support/app.js';
import { client, eventually } from '../support/http.js';

// The operator's own platform may be private and plain http. That is a leave for the tenant it was chosen for alone.
describe('the origin that the operator chose', () => {
  let app: TestApp;
  let platform: SandboxPlatform;
  let own: TestTenant;
  let other: TestTenant;
  beforeAll(async () => {
    app = await startApp({ ALLOW_PRIVATE_DESTINATIONS: 'off' });
    platform = new SandboxPlatform({ databaseUrl: app.databaseUrl, port: 0 });
    await platform.start();
    own = app.tenant;
    other = await app.newTenant();
    await app.app.nest.get(PlatformService).ensure(own.tenantId, platform.url, 'key-own');
  });
  afterAll(async () => {
    await platform.stop();
    await app.close();
  });
  const api = (tenant: TestTenant) => client(`${app.url}/api/v1`, tenant.apiKey);

  it('gets the changes of its tenant', async () => {
    await api(own).post('/users', { email: 'a@example.com', first_name: 'A', last_name: 'B' });
    await eventually(
      () => api(own).get('/platform'),
      ({ body }) => body.waiting === 0 && body.last_success_at !== null,
    );
  });

  it('is refused to another tenant that names it', async () => {
    const { status, body } = await api(other).put('/platform', { base_url: platform.url, api_key: 'x' });
    expect([status, body.errors[0].field]).toEqual([422, 'base_url']);
  });

  it('stays trusted when its tenant changes the path or the key', async () => {
    const changed = await api(own).put('/platform', { base_url: `${platform.url}/v2`, api_key: 'key-new' });
    expect(changed.status).toBe(200);
    await api(own).put('/platform', { base_url: platform.url, api_key: 'key-own' });
    expect((await api(own).post('/platform/test')).body).toMatchObject({ ok: true });
  });

  it.each(['http://127.0.0.1:1', 'http://localhost', 'http://169.254.169.254', 'https://10.0.0.1'])(
    'makes its tenant not trusted for %s',
    async (base_url) => {
      expect((await api(own).put('/platform', { base_url, api_key: 'x' })).status).toBe(422);
    },
  );

  it.each([
    '/v1/../admin',
    '/v1/./users',
    '/..',
    '/v1/%2e%2E/x',
    '/v1/%2e/x',
    '/v1//users',
    '/v1%2fusers',
    '/v1/%5cx',
    '/v1/',
  ])('takes no path %s', async (users) => {
    const { status, body } = await api(own).put('/platform', { paths: { users } });
    expect([status, body.errors?.[0].field]).toEqual([422, 'paths.users']);
  });

  it.each(['/v1/users', '/users', '/a.b/~c_d-e', '/v1/..users', '/v1/%20x'])('takes the path %s', async (users) => {
    expect((await api(own).put('/platform', { paths: { users } })).status).toBe(200);
  });
});
