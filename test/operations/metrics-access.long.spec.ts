import { randomBytes } from 'node:crypto';
import { MetricsServer } from '../../src/operations/metrics-server.js';
import { startApp, type TestApp } from '../support/app.js';

const TOKEN = 'a-token-for-prometheus';
const PRODUCTION = {
  NODE_ENV: 'production',
  ALLOW_UNSAFE: 'ALLOW_PRIVATE_DESTINATIONS',
  BASE_URL: 'https://bridge.example.com',
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  RATE_LIMIT: '100',
};
const FIGURES = /^# HELP /m;

async function withApp(env: Record<string, string>, work: (app: TestApp) => Promise<void>): Promise<void> {
  const app = await startApp(env);
  try {
    await work(app);
  } finally {
    await app.close();
  }
}

async function ask(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<[number, boolean]> {
  const answer = await fetch(url, { headers, method });
  return [answer.status, FIGURES.test(await answer.text())];
}

it('serves metrics on METRICS_PORT alone, and nothing else there', async () => {
  await withApp({ METRICS_PORT: '0' }, async (app) => {
    const own = `http://127.0.0.1:${app.app.nest.get(MetricsServer).port}`;
    expect(await ask(`${own}/metrics`)).toEqual([200, true]);
    expect(await ask(`${own}/metrics?x=1`)).toEqual([200, true]);
    expect(await ask(`${own}/metrics`, {}, 'POST')).toEqual([405, false]);
    for (const path of ['/', '/healthz', '/api/v1/me', '/metrics/x']) {
      expect([path, await ask(own + path)]).toEqual([path, [404, false]]);
    }
    expect(await ask(`${app.url}/metrics`)).toEqual([404, false]);
    expect((await ask(`${app.url}/healthz`))[0]).toBe(200);
  });
});

it('stops the start when METRICS_PORT is taken, and names the setting', async () => {
  await withApp({ METRICS_PORT: '0' }, async (app) => {
    const port = String(app.app.nest.get(MetricsServer).port);
    await expect(startApp({ METRICS_PORT: port }, app)).rejects.toThrow(/port \d+ is taken.*METRICS_PORT/);
  });
});

it.each([false, true])('demands METRICS_TOKEN when it is set (own port: %s)', async (ownPort) => {
  await withApp({ METRICS_TOKEN: TOKEN, ...(ownPort ? { METRICS_PORT: '0' } : {}) }, async (app) => {
    const base = ownPort ? `http://127.0.0.1:${app.app.nest.get(MetricsServer).port}` : app.url;
    const answer = await fetch(`${base}/metrics`);
    expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="talent-bridge"']);
    for (const wrong of ['Bearer wrong', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, `Bearer ${app.operatorToken}`]) {
      expect([wrong, await ask(`${base}/metrics`, { authorization: wrong })]).toEqual([wrong, [401, false]]);
    }
    expect(await ask(`${base}/metrics`, { authorization: `Bearer ${TOKEN}` })).toEqual([200, true]);
    expect((await ask(`${app.url}/readyz`))[0]).toBe(200);
  });
});

it('serves callers of the own network alone in production without both, and never through a proxy', async () => {
  await withApp(PRODUCTION, async (app) => {
    expect(await ask(`${app.url}/metrics`)).toEqual([200, true]);
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip']) {
      expect([name, await ask(`${app.url}/metrics`, { [name]: '10.0.0.1' })]).toEqual([name, [404, false]]);
    }
  });
  await withApp({ ...PRODUCTION, TRUST_PROXY: '127.0.0.1' }, async (app) => {
    const from = (address: string) => ask(`${app.url}/metrics`, { 'x-forwarded-for': address });
    expect(await from('192.0.2.1')).toEqual([404, false]);
    expect(await from('8.8.8.8')).toEqual([404, false]);
    expect(await from('2001:db8::1')).toEqual([404, false]);
    expect(await from('10.1.2.3')).toEqual([200, true]);
    expect(await from('::ffff:10.1.2.3')).toEqual([200, true]);
    expect(await from('fd00::1')).toEqual([200, true]);
  });
});
