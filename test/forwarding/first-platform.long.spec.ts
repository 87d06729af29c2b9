import { randomBytes } from 'node:crypto';
import { Application } from '../../src/start/application.js';
import { startApp, type TestApp } from '../support/app.js';
import { send } from '../support/http.js';

const SETTINGS = { PLATFORM_API_BASE_URL: 'http://127.0.0.1:9/platform/', PLATFORM_API_KEY: 'key-of-the-installation' };
const PRODUCTION = {
  NODE_ENV: 'production',
  ALLOW_UNSAFE: 'ALLOW_PRIVATE_DESTINATIONS,PLATFORM_API_BASE_URL',
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  BASE_URL: 'https://bridge.example',
  RATE_LIMIT: '1000',
};
const platformOf = ({ url }: TestApp, apiKey: string) =>
  send('GET', `${url}/api/v1/platform`, apiKey).then(({ body }) => body);
const create = ({ url, operatorToken }: TestApp) =>
  send('POST', `${url}/api/v1/tenants`, operatorToken, { name: 'Made by hand', api_key: { name: 'first' } });

/** A start beside a service that runs: what it warns of. */
async function warningsOf(app: TestApp, env: Record<string, string>): Promise<readonly string[]> {
  const beside = await startApp({ ...PRODUCTION, ...env }, app);
  const { warnings } = beside.app;
  await beside.close();
  return warnings;
}

it('fills the platform of the first tenant alone, made by the API and in production', async () => {
  const app = await startApp({ ...PRODUCTION, ...SETTINGS });
  try {
    expect(app.app).toBeInstanceOf(Application);
    const first = await platformOf(app, app.tenant.apiKey);
    expect(first).toMatchObject({
      connected: true,
      base_url: 'http://127.0.0.1:9/platform',
      key_hint: 'tion',
      state: 'ok',
    });
    const second = await create(app);
    expect(second.status).toBe(201);
    expect(await platformOf(app, second.body.api_key)).toMatchObject({ connected: false });
    expect(await warningsOf(app, SETTINGS)).toEqual([]);
  } finally {
    await app.close();
  }
});

it('fills the platform at the next start when the tenant is older than the settings', async () => {
  const app = await startApp(PRODUCTION);
  try {
    expect(await platformOf(app, app.tenant.apiKey)).toMatchObject({ connected: false });
    expect(await warningsOf(app, SETTINGS)).toEqual([]);
    expect(await platformOf(app, app.tenant.apiKey)).toMatchObject({ base_url: 'http://127.0.0.1:9/platform' });
  } finally {
    await app.close();
  }
});

it('logs at the start that the settings are unused, and which values are used', async () => {
  const app = await startApp({ ...PRODUCTION, ...SETTINGS });
  try {
    const other = await warningsOf(app, { ...SETTINGS, PLATFORM_API_BASE_URL: 'https://other.example' });
    expect(other).toEqual([
      expect.stringMatching(
        /^PLATFORM_API_BASE_URL is not used: the first tenant \(ten_\w+\) has .* http:\/\/127\.0\.0\.1:9/,
      ),
    ]);
    const anotherKey = await warningsOf(app, { ...SETTINGS, PLATFORM_API_KEY: 'canary-key' });
    expect(anotherKey).toEqual([expect.stringMatching(/^PLATFORM_API_KEY is not used: .* has another key/)]);
    expect(anotherKey[0]).not.toContain('canary');
    expect(await warningsOf(app, { PLATFORM_API_KEY: 'alone' })).toEqual([
      'PLATFORM_API_KEY is not used: PLATFORM_API_BASE_URL is not set.',
    ]);
    // What the administrator has set stays.
    await send('PUT', `${app.url}/api/v1/platform`, app.tenant.apiKey, { api_key: 'set-by-hand' });
    expect(await warningsOf(app, SETTINGS)).toHaveLength(1);
    expect(await platformOf(app, app.tenant.apiKey)).toMatchObject({ key_hint: 'hand' });
  } finally {
    await app.close();
  }
});
