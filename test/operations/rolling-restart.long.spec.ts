import http from 'node:http';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { spawn, type ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../src/base/database/embedded/embedded-postgres.js';
import { eventually, send } from '../support/http.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { user } from '../support/scim.js';
import { patience } from '../support/speed.js';

// Two processes of the service behind a load balancer; one after the other is stopped and started anew, twice, while
// an IdP writes without a pause.
const MAIN = path.resolve(import.meta.dirname, '../../dist/main.js');
const WRITERS = 8;
/** Slow enough to be still sending to a process that is about to stop. */
const PROBE_MS = 1_000;

class Backend {
  child: ChildProcess | null = null;
  ready = false;
  output = '';

  constructor(
    readonly port: number,
    private readonly env: Record<string, string>,
  ) {}

  async start(): Promise<void> {
    this.ready = false;
    const child = spawn(process.execPath, [MAIN], {
      env: { PATH: process.env['PATH'], PORT: String(this.port), ...this.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child.stderr.on('data', (chunk: Buffer) => (this.output += chunk.toString()));
    this.child = child;
    await eventually(
      async () => (child.exitCode === null ? this.ready : Promise.reject(new Error(this.output))),
      (ready) => ready,
      30_000,
    );
  }

  async stop(): Promise<number> {
    const ended = once(this.child!, 'exit');
    this.child!.kill('SIGTERM');
    return ((await ended) as [number])[0];
  }

  async probe(): Promise<void> {
    this.ready = await send('GET', `http://127.0.0.1:${this.port}/readyz`, null).then(({ status }) => status === 200, () => false); // prettier-ignore
  }
}

/**
 * A load balancer as they all are: asks each backend whether it is ready, keeps connections open, and tries another
 * one where a connection is refused. What was sent once is never sent again: its answer may only be lost.
 */
class Balancer {
  readonly lost: string[] = [];
  private readonly agent = new http.Agent({ keepAlive: true });
  private readonly server = http.createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => this.pass(req, res, Buffer.concat(chunks), this.order()));
  });
  private next = 0;
  private prober: Promise<void> = Promise.resolve();
  private running = true;

  constructor(readonly backends: Backend[]) {}

  async start(): Promise<string> {
    this.prober = this.probe();
    await once(this.server.listen(0, '127.0.0.1'), 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.running = false;
    await this.prober;
    this.agent.destroy();
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }

  private async probe(): Promise<void> {
    while (this.running) {
      await Promise.all(this.backends.map((backend) => backend.probe()));
      await sleep(PROBE_MS);
    }
  }

  private order(): Backend[] {
    const ready = this.backends.filter((backend) => backend.ready);
    const first = this.next++ % Math.max(1, ready.length);
    return [...ready.slice(first), ...ready.slice(0, first)];
  }

  private pass(req: http.IncomingMessage, res: http.ServerResponse, body: Buffer, left: Backend[]): void {
    const [backend, ...others] = left;
    if (backend === undefined) return this.lose(res, `${req.method} ${req.url}: no backend is ready`);
    const { connection: _, ...headers } = req.headers;
    const onward = http.request(
      { host: '127.0.0.1', port: backend.port, method: req.method, path: req.url, headers, agent: this.agent },
      (answer) => {
        res.writeHead(answer.statusCode!, { 'content-type': answer.headers['content-type'] ?? 'text/plain' });
        answer.pipe(res);
        answer.on('error', () => this.lose(res, `${req.method} ${req.url}: the answer broke off`));
      },
    );
    onward.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') return this.pass(req, res, body, others);
      this.lose(res, `${req.method} ${req.url}: ${error.code ?? error.message}`);
    });
    onward.end(body);
  }

  private lose(res: http.ServerResponse, what: string): void {
    this.lost.push(what);
    if (!res.headersSent) res.writeHead(502);
    res.end();
  }
}

let database: TestDatabase;
let dataDir: string;
let balancer: Balancer;
let base: string;
let token: string;
let apiKey: string;
let sandbox: { url: string; child: ChildProcess };

beforeAll(async () => {
  database = await testDatabase(2);
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-rolling-'));
  const child = spawn(process.execPath, [path.join(path.dirname(MAIN), 'sandbox/main.js')], {
    env: { PATH: process.env['PATH'], SANDBOX_DATABASE_URL: database.url, SANDBOX_PORT: '0' },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  sandbox = { url: line.toString().trim(), child };
  const env = {
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    SANDBOX: 'off',
    PLATFORM_API_BASE_URL: sandbox.url,
    PLATFORM_API_KEY: 'a-platform-key',
    RATE_LIMIT: 'off',
    LOG_LEVEL: 'warn',
    ROLE: 'all',
  };
  const ports = await Promise.all([freePort(), freePort()]);
  balancer = new Balancer(ports.map((port) => new Backend(port, env)));
  base = await balancer.start();
  await Promise.all(balancer.backends.map((backend) => backend.start()));
  const credentials = JSON.parse(readFileSync(path.join(dataDir, 'credentials.json'), 'utf8'));
  [token, apiKey] = [credentials.scim_token, credentials.api_key] as [string, string];
});

afterAll(async () => {
  await balancer.stop();
  for (const { child } of balancer.backends) {
    if (child?.exitCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  sandbox.child.stdin!.end();
  await once(sandbox.child, 'exit');
  await database.close();
  rmSync(dataDir, { recursive: true, force: true });
});

it('loses no request and no delivery when one process after the other restarts', async () => {
  const written = new Map<string, string>();
  const wrong: string[] = [];
  let running = true;
  let requests = 0;
  const write = async (method: string, url: string, body: object): Promise<string | null> => {
    requests++;
    const answer = await send(method, `${base}/scim/v2${url}`, token, body);
    if (answer.status < 300) return answer.body.id as string;
    wrong.push(`${method} ${url}: ${answer.status} ${answer.text.slice(0, 200)}`);
    return null;
  };
  const writer = async (_: unknown, number: number): Promise<void> => {
    for (let n = 0; running; n++) {
      const userName = `w${number}n${n}@example.com`;
      const name = (familyName: string) => user(userName, { name: { givenName: 'W', familyName } });
      const id = await write('POST', '/Users', name('First'));
      for (const familyName of ['Second', 'Third']) if (id && running) await write('PUT', `/Users/${id}`, name(familyName)); // prettier-ignore
      if (id) written.set(id, userName);
    }
  };
  const load = Promise.all(Array.from({ length: WRITERS }, writer));

  const codes: number[] = [];
  const drained: number[] = [];
  for (let round = 0; round < 2; round++) {
    for (const backend of balancer.backends) {
      await sleep(300);
      const began = performance.now();
      codes.push(await backend.stop());
      drained.push(performance.now() - began);
      await backend.start();
    }
  }
  running = false;
  await load;

  expect({ lost: balancer.lost, wrong: wrong.slice(0, 5), codes }).toEqual({
    lost: [],
    wrong: [],
    codes: [0, 0, 0, 0],
  });
  expect(Math.max(...drained)).toBeLessThan(patience(15_000));
  expect(requests).toBeGreaterThan(200);
  const platform = () => send('GET', `${base}/api/v1/platform`, apiKey);
  await eventually(platform, ({ body }) => body.waiting === 0, 30_000);
  expect((await platform()).body).toMatchObject({ parked: 0, state: 'ok' });

  const { rows } = await database.owner.execute<{ external_id: string; last_name: string }>(
    `select doc->>'external_id' as external_id, doc->>'last_name' as last_name from sandbox_platform.users`,
  );
  const there = new Map(rows.map(({ external_id, last_name }) => [external_id, last_name]));
  expect([...written.values()].filter((key) => !there.has(key))).toEqual([]);
  expect(there.size).toBe(written.size);
  const stored = await database.owner.execute<{ key: string; last_name: string }>(
    `select person_external_id as key, last_name from users`,
  );
  expect(stored.rows.filter(({ key, last_name }) => there.get(key) !== last_name)).toEqual([]);
  // Nothing was said twice with an effect: each call name has at most one.
  const twice = await database.owner.execute(
    `select idempotency_key from sandbox_platform.calls where applied group by 1 having count(*) > 1`,
  );
  expect(twice.rows).toEqual([]);
});
