import { createHash, randomBytes } from 'node:crypto';
import { startApp, type TestApp } from '../support/app.js';
import { eventually, send } from '../support/http.js';

// The recipes of docs/run/keys.md, step by step, on an installation that began with a plain key.
const newKey = () => randomBytes(32).toString('base64');
const nameOf = (key: string) => createHash('sha256').update(Buffer.from(key, 'base64')).digest('hex').slice(0, 8);

/** Keeps the database and the first process; each step runs in a process of its own beside it. */
let first: TestApp;
const plain = newKey();
beforeEach(async () => {
  first = await startApp({ ENCRYPTION_KEY: plain, ROLE: 'api' });
  const set = await send('PUT', `${first.url}/api/v1/platform`, first.tenant.apiKey, {
    base_url: 'http://127.0.0.1:9',
    api_key: 'the-platform-key',
  });
  expect(set.status).toBe(200);
  // A key of the installation, sealed too.
  expect((await send('GET', `${first.url}/.well-known/jwks.json`, null)).status).toBe(200);
});
afterEach(() => first.close());

async function withKeys<T>(keys: string, work: (app: TestApp) => Promise<T>): Promise<T> {
  const app = await startApp({ ENCRYPTION_KEY: keys }, first);
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}
const ready = ({ url }: TestApp) => send('GET', `${url}/readyz`, null);
const rotate = ({ url, operatorToken }: TestApp) =>
  send('POST', `${url}/api/v1/tenants/keys/rotate`, operatorToken, {}).then(({ body }) => body);
const platform = ({ url, tenant }: TestApp) =>
  send('GET', `${url}/api/v1/platform`, tenant.apiKey).then(({ body }) => body);

it.each<[string, (key: string) => string, (older: string) => string]>([
  ['without ids', (key) => key, (key) => key],
  ['with ids that seal nothing yet', (key) => `new:${key}`, (key) => `old:${key}`],
])('rotates the key twice in a row %s', async (_, newer, older) => {
  let present = plain;
  for (let round = 1; round <= 2; round++) {
    const next = newKey();
    await withKeys(`${newer(next)},${older(present)}`, async (app) => {
      expect(await ready(app)).toMatchObject({ status: 200, body: { status: 'ok' } });
      expect((await platform(app)).state).toBe('ok');
      const rotated = await rotate(app);
      expect(rotated.resealed).toMatchObject({ 'destinations.key_sealed': 1, 'service_keys.private_key_sealed': 1 });
      expect(rotated).not.toHaveProperty('unopened');
    });
    present = next;
    // The old key has gone, and so has the id `new`.
    await withKeys(newer(next), async (app) => {
      expect(await ready(app)).toMatchObject({ status: 200, body: { status: 'ok' } });
      expect((await platform(app)).state).toBe('ok');
    });
  }
});

it('names the secrets that no key opens and the key that sealed them', async () => {
  await withKeys(newKey(), async (app) => {
    const answer = await ready(app);
    expect(answer).toMatchObject({ status: 503, body: { reason: 'encryption key missing' } });
    expect(answer.body.detail).toContain(`1 in destinations.key_sealed (sealed by key ${nameOf(plain)})`);
    expect(answer.body.detail).toContain('1 in service_keys.private_key_sealed');
    expect(app.app.warnings).toEqual([answer.body.detail]);

    expect(await platform(app)).toMatchObject({
      state: 'key_unreadable',
      detail: expect.stringMatching('ENCRYPTION_KEY'),
    });
    const tested = await send('POST', `${app.url}/api/v1/platform/test`, app.tenant.apiKey);
    expect(tested.body).toMatchObject({
      ok: false,
      status: null,
      message: expect.stringMatching(/^The platform was not asked/),
    });
    const imported = await send('POST', `${app.url}/api/v1/platform/import`, app.tenant.apiKey, {});
    const task = await eventually(
      () => send('GET', `${app.url}/api/v1/tasks/${imported.body.id}`, app.tenant.apiKey).then(({ body }) => body),
      ({ state }) => state === 'failed',
    );
    expect(task.error).toMatch(/^The platform was not asked/);
    const keys = await send('GET', `${app.url}/.well-known/jwks.json`, null);
    expect([keys.status, keys.body.code]).toEqual([503, 'secret_unreadable']);
    expect((await rotate(app)).unopened).toEqual({
      'destinations.key_sealed': 1,
      'service_keys.private_key_sealed': 1,
    });
  });
  // Nothing was lost by the attempt.
  expect((await ready(first)).status).toBe(200);
});

it('makes the installation ready again after a lost key', async () => {
  await withKeys(newKey(), async (app) => {
    expect((await ready(app)).status).toBe(503);
    const set = await send('PUT', `${app.url}/api/v1/platform`, app.tenant.apiKey, { api_key: 'given-anew' });
    expect(set.body.state).toBe('ok');
    await app.db.query(`delete from service_keys`);
    await eventually(() => ready(app), ({ status }) => status === 200); // prettier-ignore
    expect((await send('GET', `${app.url}/.well-known/jwks.json`, null)).status).toBe(200);
  });
});

it('stays ready with one damaged row, and reports it', async () => {
  const other = await first.newTenant();
  await send('PUT', `${first.url}/api/v1/platform`, other.apiKey, { base_url: 'http://127.0.0.1:9', api_key: 'k' });
  await first.db.query(`update destinations set key_sealed = left(key_sealed, -4) || 'AAAA' where tenant_id = $1`, [
    other.tenantId,
  ]);
  await withKeys(plain, async (app) => {
    const answer = await ready(app);
    expect(answer).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(answer.body.detail).toContain('1 in destinations.key_sealed');
  });
});
