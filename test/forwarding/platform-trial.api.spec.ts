import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { SandboxPlatform } from '../../src/sandbox/sandbox-platform.js';
import { startApp, type TestApp } from '../support/app.js';
import { newHouse, type House } from '../support/house.js';
import { send } from '../support/http.js';
import { platformApi } from '../../src/operations/docs/platform-api.js';
import { platformWords } from '../../src/forwarding/platform/platform.service.js';
import { long } from '../support/rounds.js';

let app: TestApp;
let sandbox: SandboxPlatform;
let house: House;
let key: string;
beforeAll(async () => {
  app = await startApp();
  sandbox = new SandboxPlatform({ databaseUrl: app.databaseUrl, port: 0 });
  await sandbox.start();
});
afterAll(async () => {
  await sandbox.stop();
  await app.close();
});
beforeEach(async () => {
  house = await newHouse(app);
  key = `key-${house.tenantId}`;
});

const connect = (url: string, more: object = {}) =>
  house.api.put('/platform', { base_url: url, api_key: key, timeout_ms: 2_000, ...more });
const trial = async () => (await house.api.post('/platform/test', { write: true })).body;
interface Call {
  method: string;
  path: string;
  idempotency_key: string | null;
}
const calls = async (): Promise<Call[]> =>
  (await send('GET', `${sandbox.url}/v1/calls?limit=1000`, key)).body.data as Call[];
const users = async () => (await send('GET', `${sandbox.url}/v1/users`, key)).body.data as { email: string }[];

/** Stands between this service and the sandbox, and changes what passes. */
async function between(change: {
  headers?: (headers: http.IncomingHttpHeaders) => void;
  body?: (method: string, text: string) => string;
}) {
  const server = http.createServer((req, res) => {
    const headers = { ...req.headers, host: new URL(sandbox.url).host };
    change.headers?.(headers);
    const onward = http.request(sandbox.url + req.url!, { method: req.method!, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString();
        res.writeHead(answer.statusCode!, { 'Content-Type': 'application/json' });
        res.end(answer.statusCode === 204 ? undefined : (change.body?.(req.method!, text) ?? text));
      });
    });
    req.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, close: () => new Promise((resolve) => server.close(resolve)) };
}

it('makes each call of the contract with a throw-away user, and deletes it', async () => {
  expect((await house.api.post('/platform/test', { write: true })).body.code).toBe('no_platform_yet');
  await connect(sandbox.url);
  const found = await trial();
  expect(found).toMatchObject({ ok: true, status: 404, message: expect.stringContaining('throw-away user is gone') });
  expect((found.steps as { name: string }[]).map(({ name }) => name)).toEqual([
    'look up an unknown user', 'create', 'create again, with the same Idempotency-Key', 'look up', 'list by e-mail',
    'update', 'deactivate', 'delete', 'delete again',
  ]); // prettier-ignore
  expect(await users()).toEqual([]);
  const described = new Set(
    Object.entries(platformApi().paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    ),
  );
  for (const { method, path } of await calls()) {
    expect(described).toContain(`${method} ${path.replace(/(?<=users\/)[^/?]+/, '{id}').replace(/\?.*/, '')}`);
  }
  const audit = await house.api.get('/audit?action=platform.test_write');
  expect(audit.body.data).toHaveLength(1);
  expect((await house.api.get('/users')).body.data).toEqual([]);
});

it('reports that a repeated Idempotency-Key made a second user, and deletes the first', async () => {
  const forgetful = await between({ headers: (headers) => delete headers['idempotency-key'] });
  await connect(forgetful.url);
  const found = await trial();
  expect(found).toMatchObject({
    ok: false,
    message: expect.stringContaining('same Idempotency-Key needs the first answer'),
  });
  expect(await users()).toEqual([]);
  await forgetful.close();
});

it('names what an answer lacks, and the user that may remain', async () => {
  const nameless = await between({ body: (method, text) => (method === 'POST' ? '{}' : text) });
  await connect(nameless.url);
  const found = await trial();
  expect(found).toMatchObject({
    ok: false,
    status: 201,
    message: expect.stringMatching(/create: .*"id".*may be left behind/),
  });
  const lying = await between({ body: (method, text) => (method === 'GET' ? '{"found":true,"id":"x"}' : text) });
  await connect(lying.url);
  expect((await trial()).steps).toEqual([
    expect.objectContaining({ ok: false, message: expect.stringContaining('needs "found": false') }),
  ]);
  await Promise.all([nameless.close(), lying.close()]);
});

it('deletes no user when deletions at the platform are deactivations', async () => {
  await connect(sandbox.url, { on_delete: 'inactive' });
  const found = await trial();
  expect(found.ok).toBe(true);
  expect(await users()).toEqual([expect.objectContaining({ status: 'inactive' })]);
  expect((await calls()).some(({ method }) => method === 'DELETE')).toBe(false);
});

it('shows the state of the platform in words', async () => {
  expect((await house.api.get('/platform')).body.message).toContain('no platform connection yet');
  await connect(sandbox.url);
  expect((await house.api.get('/platform')).body.message).toContain('Not tried yet');
  expect(platformWords({ state: 'ok', reason: null, detail: null, last_success_at: new Date() })).toBe(
    'Changes are forwarded.',
  );
  await house.api.post('/platform/pause', { reason: 'moving' });
  expect((await house.api.get('/platform')).body.message).toContain('an admin has paused it (moving)');
  expect(platformWords({ state: 'open', reason: 'status_500', detail: 'busy', last_success_at: null })).toContain(
    'it answers with status 500 (busy)',
  );
  expect(platformWords({ state: 'open', reason: 'timeout', detail: null, last_success_at: null })).toMatch(
    /^The platform is unavailable: it gives no answer in time/,
  );
  expect(platformWords({ state: 'paused', reason: 'address_refused', detail: null, last_success_at: null })).toContain(
    'ALLOW_PRIVATE_DESTINATIONS',
  );
});

long('serves the contract of the platform as a page and as OpenAPI', async () => {
  const page = await send('GET', `${app.url}/docs/platform`, null);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const { status, body } = await send('GET', `${app.url}/docs/platform.json`, null);
  expect([status, body.openapi]).toEqual([200, '3.1.0']);
  for (const path of Object.keys(body.paths as object)) expect(page.text).toContain(path);
});

describe('a tenant with a private address', () => {
  let strict: TestApp;
  beforeAll(async () => {
    strict = await startApp({ ALLOW_PRIVATE_DESTINATIONS: 'off' });
  });
  afterAll(() => strict.close());

  it.each(['http://platform.example.com', 'https://10.0.0.1'])('%s: the answer names the setting', async (base_url) => {
    const { api } = await newHouse(strict);
    const refused = await api.put('/platform', { base_url, api_key: 'k' });
    expect(refused.status).toBe(422);
    expect(refused.body.errors[0].message).toContain('ALLOW_PRIVATE_DESTINATIONS=true');
  });
});
