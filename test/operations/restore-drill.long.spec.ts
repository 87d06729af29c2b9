import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { SandboxPlatform } from '../../src/sandbox/sandbox-platform.js';
import { startApp, type TestApp } from '../support/app.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { client, eventually, send, type Client } from '../support/http.js';
import { patch, scim, user } from '../support/scim.js';

// The drill of docs/run/backup.md, step by step, against a platform that was not restored. A copy of the
// database serves as the dump: it holds the rows and sequences of one moment.
let admin: pg.Client;
let elsewhere: TestDatabase;
let platform: SandboxPlatform;
let dataDir: string;
let name: string;
let databaseUrl: string;
let started: Pick<TestApp, 'tenant'> | undefined;
const running: TestApp[] = [];

const copy = (to: string, from: string) => admin.query(`create database ${to} template ${from}`);
const drop = (database: string) => admin.query(`drop database if exists ${database} with (force)`);

beforeAll(async () => {
  admin = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] });
  await admin.connect();
  elsewhere = await testDatabase(2);
  platform = new SandboxPlatform({ databaseUrl: elsewhere.url, port: 0 });
  await platform.start();
});
beforeEach(async () => {
  name = `test_${randomBytes(6).toString('hex')}`;
  await copy(name, process.env['TEST_TEMPLATE']!);
  const url = new URL(process.env['TEST_DATABASE_URL']!);
  url.pathname = `/${name}`;
  databaseUrl = url.href;
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-drill-'));
  started = undefined;
});
afterEach(async () => {
  for (const app of running.splice(0)) await app.close();
  await drop(name);
  await drop(`${name}_backup`);
  rmSync(dataDir, { recursive: true, force: true });
});
afterAll(async () => {
  await platform.stop();
  await elsewhere.close();
  await admin.end();
});

/** The service on the database of the test, as another start of the same installation. */
async function start(): Promise<TestApp & { api: Client; scim: Client }> {
  const app = await startApp({}, { databaseUrl, dataDir, ...started } as TestApp);
  running.push(app);
  started = { tenant: app.tenant };
  return {
    ...app,
    api: client(`${app.url}/api/v1`, app.tenant.apiKey),
    scim: scim(app.url, app.tenant.scimToken),
  };
}
const stop = () => running.pop()!.close();
const backUp = () => copy(`${name}_backup`, name);
async function restore(): Promise<void> {
  await drop(name);
  await copy(name, `${name}_backup`);
}

type Started = Awaited<ReturnType<typeof start>>;
const sent = ({ api }: Started) =>
  eventually(
    () => api.get('/platform'),
    ({ body }) => body.waiting === 0,
  );
interface Account {
  external_id: string;
  status: string;
}
const key = () => `key-${started!.tenant.tenantId}`;
async function accounts(): Promise<Record<string, string>> {
  const { body } = await send('GET', `${platform.url}/v1/users?limit=100`, key());
  return Object.fromEntries((body.data as Account[]).map(({ external_id, status }) => [external_id, status]));
}
/** What an IdP does in a full cycle: it looks each of its users up, and writes what differs. */
async function fullCycle({ scim: directory }: Started, people: Record<string, boolean>): Promise<void> {
  for (const [who, active] of Object.entries(people)) {
    const { body } = await directory.get(`/Users?filter=${encodeURIComponent(`userName eq "${who}@example.com"`)}`);
    const [known] = body.Resources as { id: string; active: boolean }[];
    if (known === undefined) {
      const made = await directory.post('/Users', user(`${who}@example.com`, { externalId: who, active }));
      expect(made.status).toBe(201);
    } else if (known.active !== active) {
      await directory.patch(`/Users/${known.id}`, patch({ op: 'replace', path: 'active', value: active }));
    }
  }
}
async function drift({ api }: Started): Promise<{ result: Record<string, number>; listed: Record<string, string> }> {
  const begun = await api.post('/platform/drift', {});
  expect(begun.status).toBe(202);
  const { body } = await eventually(
    () => api.get(`/tasks/${begun.body.id}`),
    ({ body: task }) => task.state === 'done',
  );
  const { body: rows } = await api.get(`/tasks/${begun.body.id}/left-out`);
  const listed = (
    rows.data as { reason: string; detail: string; item: { external_id?: string; user_id: string } }[]
  ).map(({ reason, detail, item }) => [item.external_id ?? item.user_id, `${reason}: ${detail}`]);
  return { result: body.result, listed: Object.fromEntries(listed) };
}

it('a restored database forwards nothing until an administrator resumes, and then the platform is correct', async () => {
  let app = await start();
  await app.api.put('/platform', { base_url: platform.url, api_key: key() });
  await fullCycle(app, { ann: true, ben: true, cleo: true });
  await sent(app);
  await stop();
  await backUp();
  const backedUp = new Date();

  // The gap: ben leaves, cleo is deleted at once, dora comes.
  app = await start();
  expect(app.app.warnings).toEqual([]);
  await fullCycle(app, { ben: false, dora: true });
  const cleo = (await app.scim.get('/Users?filter=externalId eq "cleo"')).body.Resources[0].id as string;
  await app.scim.delete(`/Users/${cleo}`);
  await sent(app);
  const before = await accounts();
  expect(before).toEqual({ ann: 'active', ben: 'inactive', dora: 'active' });
  await stop();

  // 1. Restore, start: it is noticed, said, and nothing is forwarded.
  await restore();
  app = await start();
  expect(app.app.warnings).toEqual([expect.stringMatching(/^The database was restored to an earlier state/)]);
  const paused = { state: 'paused', reason: 'database_restored', detail: app.app.warnings[0] };
  expect((await app.api.get('/platform')).body).toMatchObject(paused);
  // Another key of the platform does not end the pause.
  expect((await app.api.put('/platform', { api_key: key() })).body).toMatchObject(paused);
  // What the database does not know it cannot send again.
  const resent = await app.api.post('/changes/resend', { since: backedUp.toISOString() });
  const task = await eventually(
    () => app.api.get(`/tasks/${resent.body.id}`),
    ({ body }) => body.state === 'done',
  );
  expect(task.body.done).toBe(0);

  // 2. A full cycle of the IdP, which no longer knows cleo.
  await fullCycle(app, { ann: true, ben: false, dora: true });
  expect((await app.api.get('/platform')).body).toMatchObject({ ...paused, waiting: 2 });
  expect(await accounts()).toEqual(before);

  // 3. Compare. Only she is left whom no full cycle mentions.
  const compared = await drift(app);
  expect(compared).toEqual({
    result: { same: 3, different: 0, missing: 1, extra: 0 },
    listed: { [cleo]: 'missing: Active here, and not in the list of the platform.' },
  });
  await app.scim.delete(`/Users/${cleo}`);

  // 4. Resume.
  expect((await app.api.post('/platform/resume', {})).body.state).toBe('ok');
  await sent(app);
  expect((await app.api.get('/platform')).body).toMatchObject({ state: 'ok', parked: 0 });
  expect(await accounts()).toEqual(before);
  expect((await drift(app)).result).toEqual({ same: 3, different: 0, missing: 0, extra: 0 });
  await stop();

  // The next start has nothing to say.
  app = await start();
  expect(app.app.warnings).toEqual([]);
});

it('the comparison names a leaver without a write since the restore', async () => {
  let app = await start();
  await app.api.put('/platform', { base_url: platform.url, api_key: key() });
  await fullCycle(app, { eve: true, finn: true });
  await sent(app);
  await stop();
  await backUp();
  app = await start();
  await fullCycle(app, { eve: false, gwen: true });
  await sent(app);
  await stop();
  await restore();
  app = await start();
  expect(await drift(app)).toEqual({
    result: { same: 1, different: 1, missing: 0, extra: 1 },
    listed: {
      eve: 'different: Active here and inactive on the platform.',
      gwen: 'extra: Active on the platform and unknown here.',
    },
  });
});

it('does not report a restore after a kill, for another database, or for an unreadable mark', async () => {
  const app = await start();
  await fullCycle(app, { hal: true });
  const file = path.join(dataDir, 'database-generation');
  // The mark follows the changes.
  await eventually(async () => JSON.parse(readFileSync(file, 'utf8')).generation as number, (n) => n > 0); // prettier-ignore
  const beside = await start();
  expect(beside.app.warnings).toEqual([]);
  await stop();

  const mark = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...mark, installation: 'another', generation: 1_000 }));
  expect((await start()).app.warnings).toEqual([]);
  await stop();
  writeFileSync(file, 'torn');
  expect((await start()).app.warnings).toEqual([]);
});
