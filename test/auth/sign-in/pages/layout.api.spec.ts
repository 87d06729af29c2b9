import { randomBytes } from 'node:crypto';
import { startApp } from '../../../support/app.js';
import { long } from '../../../support/rounds.js';

const PRODUCTION = {
  NODE_ENV: 'production',
  ALLOW_UNSAFE: 'ALLOW_PRIVATE_DESTINATIONS',
  BASE_URL: 'https://bridge.example.com',
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  RATE_LIMIT: '100',
};

long.each<[string, Record<string, string>, string]>([
  ['in production', PRODUCTION, `form-action 'self' https:`],
  ['where tenants name public addresses alone', { ALLOW_PRIVATE_DESTINATIONS: 'off' }, `form-action 'self' https:`],
  ['in development', {}, `form-action 'self' https: http://localhost:* http://127.0.0.1:*`],
])('allows forms to lead to https alone, %s', async (_, env, expected) => {
  const app = await startApp(env);
  try {
    const { headers } = await fetch(`${app.url}/api/auth/login`, { headers: { accept: 'text/html' } });
    const policy = headers.get('content-security-policy')!.split('; ');
    expect(policy.filter((one) => one.startsWith('form-action'))).toEqual([expected]);
  } finally {
    await app.close();
  }
});
