import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePort } from '../../src/base/database/embedded/embedded-postgres.js';
import { send, eventually } from '../support/http.js';

// The built service as a process, as `npm start` runs it: with a data directory that does not exist yet.
const ROOT = path.resolve(import.meta.dirname, '../..');
const isRoot = process.getuid?.() === 0;
const ORDINARY = 65_534;
const running = new Set<ChildProcess>();
const homes: string[] = [];

interface Service {
  child: ChildProcess;
  url: string;
  /** Resolves with the exit code and all that was said. */
  ended: Promise<{ code: number | null; output: string }>;
  ready: Promise<number>;
}

/** Starts it. `ready` resolves when it answers, with how long that took; fails when it ends before. */
function start(dataDir: string, env: Record<string, string>, uid?: number): Service {
  const began = performance.now();
  const child = spawn(process.execPath, [path.join(ROOT, 'dist/main.js')], {
    cwd: path.dirname(dataDir),
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir, LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  running.add(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    return { code: code as number | null, output };
  });
  const url = `http://127.0.0.1:${env['PORT']}`;
  const answers = async (): Promise<number> => {
    const get = () => send('GET', `${url}/readyz`, null).then(({ status }) => status, () => 0); // prettier-ignore
    while (!running.has(child) || (await get()) !== 200) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`it ended:\n${(await ended).output}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return performance.now() - began;
  };
  const ready = answers();
  ready.catch(() => undefined);
  return { child, url, ended, ready };
}

function stop({ child, ended }: Service): Promise<{ code: number | null; output: string }> {
  child.kill('SIGTERM');
  return ended;
}

async function freePorts(): Promise<{ PORT: string; SANDBOX_PORT: string }> {
  return { PORT: String(await freePort()), SANDBOX_PORT: String(await freePort()) };
}

/** A folder for a data directory; of `uid`, and closed to everybody else. */
function home(uid?: number): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-home-'));
  if (uid !== undefined) chownSync(folder, uid, uid);
  chmodSync(folder, 0o700);
  homes.push(folder);
  return folder;
}

const json = (...parts: string[]) => JSON.parse(readFileSync(path.join(...parts), 'utf8'));
/** Where the database's files are. */
const databaseOf = (dataDir: string) => path.resolve(dataDir, json(dataDir, 'database.json').folder as string);
const postmaster = (dataDir: string) => {
  const file = path.join(databaseOf(dataDir), 'postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : null;
};
const modeOf = (...parts: string[]) => (statSync(path.join(...parts)).mode & 0o777).toString(8);
const users = (service: Service, token: string) => send('GET', `${service.url}/scim/v2/Users`, token);

afterAll(async () => {
  for (const child of running) {
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  for (const folder of homes) {
    const dataDir = path.join(folder, 'data');
    if (existsSync(path.join(dataDir, 'database.json'))) {
      const pid = postmaster(dataDir);
      if (pid !== null) process.kill(pid, 'SIGINT');
      await eventually(async () => postmaster(dataDir), (left) => left === null); // prettier-ignore
      rmSync(path.dirname(databaseOf(dataDir)), { recursive: true, force: true });
    }
    rmSync(folder, { recursive: true, force: true });
  }
});

/** Whether a system user without rights can read what is built here. */
function readableByAll(): boolean {
  for (let folder = ROOT; ; folder = path.dirname(folder)) {
    if ((statSync(folder).mode & 0o005) !== 0o005) return false;
    if (folder === path.dirname(folder)) return true;
  }
}

/** Names of the classes of the source, and of the schemas that the source names by hand. */
function declaredClasses(): string[] {
  const files = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const texts = files.filter((f) => f.endsWith('.ts')).map((f) => readFileSync(path.join(ROOT, 'src', f), 'utf8'));
  return texts.flatMap((text) => [...text.matchAll(/\bclass (\w+)|\b([A-Z]\w+):/g)].map(([, a, b]) => (a ?? b)!));
}

// As root the database runs as another user, and outside of a closed home; as an ordinary user all is one's own.
const people: [string, number | undefined][] = [[isRoot ? 'root, below a closed home' : 'an ordinary user', undefined]];
if (isRoot && readableByAll()) people.push(['an ordinary user', ORDINARY]);

describe.each(people)('started by %s', (_, uid) => {
  let dataDir: string;
  let ports: { PORT: string; SANDBOX_PORT: string };
  let service: Service;
  let token: string;
  beforeAll(async () => {
    dataDir = path.join(home(uid), 'data');
    ports = await freePorts();
  });

  it('the first start makes a database, a tenant and its credentials, for its user alone', async () => {
    service = start(dataDir, ports, uid);
    await service.ready;
    const credentials = json(dataDir, 'credentials.json');
    expect(Object.keys(credentials).sort()).toEqual(
      ['api_key', 'console_url', 'operator_token', 'sandbox_url', 'scim_base_url', 'scim_token', 'tenant_id'], // prettier-ignore
    );
    for (const file of ['credentials.json', 'encryption-key', 'operator-token', 'database.json', 'database.log']) {
      expect([file, modeOf(dataDir, file)]).toEqual([file, '600']);
    }
    expect(modeOf(databaseOf(dataDir))).toBe('700');
    if (uid !== undefined || !isRoot) expect(databaseOf(dataDir)).toBe(path.join(dataDir, 'postgres'));
    else expect(readFileSync(path.join(dataDir, 'database-location'), 'utf8').trim()).toBe(databaseOf(dataDir));
    token = credentials.scim_token as string;
    const made = await send('POST', `${service.url}/scim/v2/Users`, token, { userName: 'bjensen@example.com' });
    expect(made.status).toBe(201);
    const arrived = () => send('GET', `${credentials.sandbox_url}/`, null);
    await eventually(arrived, ({ text }) => text.includes('bjensen@example.com'));
  });

  it('one file of all modules keeps their class names, which the description shows', async () => {
    const { body } = await send('GET', `${service.url}/docs/openapi.json`, null);
    const { schemas } = (body as { components: { schemas: Record<string, unknown> } }).components;
    const declared = new Set(declaredClasses());
    expect(Object.keys(schemas).length).toBeGreaterThan(100);
    expect(Object.keys(schemas).filter((name) => !declared.has(name))).toEqual([]);
    const references = [...JSON.stringify(body).matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name!);
    expect(references.filter((name) => !(name in schemas))).toEqual([]);
  });

  it('the next start uses a database that outlived its service', async () => {
    const pid = postmaster(dataDir);
    expect(pid).not.toBeNull();
    service.child.kill('SIGKILL');
    await service.ended;
    service = start(dataDir, ports, uid);
    await service.ready;
    expect(postmaster(dataDir)).toBe(pid);
    expect(json(dataDir, 'credentials.json').scim_token).toBe(token);
    expect((await users(service, token)).body.totalResults).toBe(1);
  });

  it('a second one on the same data directory works beside the first, and leaves it its database', async () => {
    const second = start(dataDir, { ...(await freePorts()), SANDBOX: 'off' }, uid);
    await second.ready;
    expect((await users(second, token)).body.totalResults).toBe(1);
    expect((await stop(second)).code).toBe(0);
    expect((await users(service, token)).status).toBe(200);
  });

  it('it stops on SIGTERM, and its database with it', async () => {
    expect((await stop(service)).code).toBe(0);
    expect(postmaster(dataDir)).toBeNull();
  });

  it('writes other ports into its credentials, and still forwards to the sandbox', async () => {
    ports = await freePorts();
    service = start(dataDir, ports, uid);
    await service.ready;
    const credentials = json(dataDir, 'credentials.json');
    expect(credentials).toMatchObject({
      scim_token: token,
      scim_base_url: `http://localhost:${ports.PORT}/scim/v2`,
      sandbox_url: `http://127.0.0.1:${ports.SANDBOX_PORT}`,
    });
    expect(modeOf(dataDir, 'credentials.json')).toBe('600');
    await send('POST', `${service.url}/scim/v2/Users`, token, { userName: 'second@example.com' });
    const arrived = () => send('GET', `${credentials.sandbox_url}/`, null);
    const { text } = await eventually(arrived, (page) => page.text.includes('second@example.com'));
    expect(text).toContain('bjensen@example.com');
  });

  it('serves on without a reader of its output, and ends on a signal', async () => {
    service.child.stdout!.destroy();
    service.child.stderr!.destroy();
    for (let i = 0; i < 3; i++) expect((await users(service, token)).status).toBe(200);
  });

  it('stops when it is asked to', async () => {
    expect((await stop(service)).code).toBe(0);
  });
});

it('of two first starts at once, both work, with one database and one tenant', async () => {
  const dataDir = path.join(home(), 'data');
  const both = [start(dataDir, await freePorts()), start(dataDir, { ...(await freePorts()), SANDBOX: 'off' })];
  await Promise.all(both.map(({ ready }) => ready));
  const { operator_token, scim_token } = json(dataDir, 'credentials.json');
  for (const service of both) {
    const tenants = await send('GET', `${service.url}/api/v1/tenants`, operator_token as string);
    expect(tenants.body.data).toHaveLength(1);
    expect((await users(service, scim_token as string)).status).toBe(200);
  }
  expect((await Promise.all(both.map(stop))).map(({ code }) => code)).toEqual([0, 0]);
});

it('ends with npm: a SIGTERM to npm reaches its shell alone', async () => {
  const dataDir = path.join(home(), 'data');
  const { PORT } = await freePorts();
  // npm runs its scripts through a shell; the second command keeps that from becoming the script itself.
  const shell = spawn('sh', ['-c', `"${process.execPath}" scripts/start.mjs; true`], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir, LOG_LEVEL: 'error', SANDBOX: 'off', PORT },
    stdio: 'ignore',
  });
  running.add(shell);
  const ready = () => send('GET', `http://127.0.0.1:${PORT}/readyz`, null).then(({ status }) => status, () => 0); // prettier-ignore
  await eventually(ready, (status) => status === 200, 40_000);
  shell.kill('SIGTERM');
  await once(shell, 'exit');
  running.delete(shell);
  await eventually(ready, (status) => status === 0);
  await eventually(async () => postmaster(dataDir), (pid) => pid === null); // prettier-ignore
});

it('leaves a data folder alone that a process of an older version uses, and names it', async () => {
  const dataDir = path.join(home(), 'data');
  const older = start(dataDir, { ...(await freePorts()), SANDBOX: 'off' });
  await older.ready;
  const { port, password } = json(dataDir, 'database.json');
  const owner = new pg.Client({
    connectionString: `postgres://talent_bridge:${password}@127.0.0.1:${port}/talent_bridge`,
  });
  await owner.connect();
  const migrations = () => owner.query('select name from migrations order by id').then(({ rows }) => rows);
  try {
    // The process is one of a version that does not know the last migration.
    await owner.query('delete from migrations where id = (select max(id) from migrations)');
    const before = await migrations();
    const newer = await start(dataDir, { ...(await freePorts()), SANDBOX: 'off' }).ended;
    expect([newer.code, newer.output]).toEqual([1, expect.stringContaining(`uses the data folder ${dataDir}`)]);
    expect(await migrations()).toEqual(before);
  } finally {
    await owner.end();
  }
  const { scim_token } = json(dataDir, 'credentials.json');
  expect((await users(older, scim_token as string)).status).toBe(200);
  expect((await stop(older)).code).toBe(0);
});

it('a worker serves health and metrics alone, and makes no tenant and no link to the console', async () => {
  const dataDir = path.join(home(), 'data');
  const worker = start(dataDir, { ...(await freePorts()), ROLE: 'worker' });
  await worker.ready;
  const token = readFileSync(path.join(dataDir, 'operator-token'), 'utf8').trim();
  for (const place of ['/healthz', '/readyz', '/metrics']) {
    expect([place, (await send('GET', `${worker.url}${place}`, null)).status]).toEqual([place, 200]);
  }
  for (const place of [
    '/scim/v2/Users',
    '/api/v1/tenants',
    '/api/users',
    '/v1/installation',
    '/oauth/token',
    '/docs',
    '/console',
    '/api/auth/login',
    '/api/webhooks/lever',
  ]) {
    for (const method of ['GET', 'POST'] as const) {
      const { status } = await send(
        method,
        `${worker.url}${place}`,
        token,
        method === 'POST' ? { name: 'Acme' } : undefined,
      );
      // The token endpoint has no 404 among its errors (RFC 6749 §5.2).
      expect([method, place, status]).toEqual([method, place, place === '/oauth/token' ? 400 : 404]);
    }
  }
  expect(existsSync(path.join(dataDir, 'credentials.json'))).toBe(false);
  const { code, output } = await stop(worker);
  expect([code, output]).toEqual([0, expect.stringContaining('/healthz, /readyz and /metrics alone')]);
  expect(output).not.toMatch(/console/i);
});

describe('a wrong installation stops the start with a plain message', () => {
  const failing = async (env: Record<string, string>) => {
    const dataDir = path.join(home(), 'data');
    const { code, output } = await start(dataDir, { PORT: '1', ...env }).ended;
    return { code, output, dataDir };
  };

  it('wrong settings: all of them, by name and rule, and no value', async () => {
    const { code, output, dataDir } = await failing({ PORT: 'canary', ROLE: 'boss', ENCRYPTION_KEY: 'secret-canary' });
    expect(code).toBe(1);
    expect(output).toMatch(/PORT must be a whole number from 0 to 65535/);
    expect(output).toMatch(/ROLE must be one of: all, api, worker/);
    expect(output).toMatch(/ENCRYPTION_KEY must be 32 bytes in base64/);
    expect(output).not.toMatch(/canary|boss|at .*\.js/);
    expect(existsSync(dataDir)).toBe(false);
  });

  it('a taken port, and nothing stays behind', async () => {
    const taken = net.createServer((socket) => socket.destroy());
    await once(taken.listen(0), 'listening');
    const port = String((taken.address() as net.AddressInfo).port);
    for (const name of ['PORT', 'METRICS_PORT', 'SANDBOX_PORT']) {
      const { code, output, dataDir } = await failing({ ...(await freePorts()), [name]: port });
      expect([code, output]).toEqual([1, expect.stringMatching(`port ${port} is taken .*set ${name} to a free one`)]);
      expect(output).not.toMatch(/ at .*\.js/);
      // The ports come before the database, which another version may serve.
      expect(existsSync(path.join(dataDir, 'database.json'))).toBe(false);
    }
    await once(taken.close(), 'close');
  });

  it('the same port twice, before the database', async () => {
    const { PORT } = await freePorts();
    const { code, output, dataDir } = await failing({ PORT, SANDBOX_PORT: PORT });
    expect([code, output]).toEqual([1, expect.stringContaining('SANDBOX_PORT must be another port than PORT')]);
    expect(existsSync(path.join(dataDir, 'database.json'))).toBe(false);
  });

  it('a data folder below a file, or below a parent that has none', async () => {
    const file = path.join(home(), 'file');
    writeFileSync(file, '');
    for (const folder of [path.join(file, 'data'), ...(process.platform === 'linux' ? ['/proc/nope'] : [])]) {
      const { code, output } = await failing({ DATA_DIR: folder });
      expect([code, output]).toEqual([1, expect.stringMatching(`${folder}.* cannot be made .*set DATA_DIR`)]);
      expect(output).not.toMatch(/ at .*\.js/);
    }
  });

  it('production without a key', async () => {
    const { code, output } = await failing({ NODE_ENV: 'production' });
    expect([code, output]).toEqual([1, expect.stringMatching(/ENCRYPTION_KEY must be set/)]);
    // A line for the collector of logs, and words for the operator at a terminal.
    const [first, ...words] = output.split('\n');
    expect(JSON.parse(first!)).toMatchObject({ level: 'fatal' });
    expect(words).toContain('  ENCRYPTION_KEY must be set when NODE_ENV is production');
  });

  it('a database that is away: the reason comes after the first try, and the start continues', async () => {
    const { PORT } = await freePorts();
    const away = `postgres://bridge:canary@127.0.0.1:${await freePort()}/bridge`;
    const waiting = start(path.join(home(), 'data'), { PORT, DATABASE_URL: away });
    const said = new Promise<string>((resolve) => waiting.child.stderr!.on('data', (part: Buffer) => resolve(part.toString()))); // prettier-ignore
    expect(await said).toMatch(/Waiting for the database: nothing answers .* DATABASE_URL \(ECONNREFUSED\)/);
    expect(waiting.child.exitCode).toBeNull();
    await stop(waiting);
  });

  it('a database that refuses the login', async () => {
    const url = new URL(process.env['TEST_DATABASE_URL']!);
    url.password = 'canary';
    const { code, output } = await failing({ DATABASE_URL: url.href });
    expect([code, output]).toEqual([1, expect.stringMatching(/refuses the user or password of DATABASE_URL/)]);
    expect(output).not.toMatch(/canary| at .*\.js/);
  });
});
