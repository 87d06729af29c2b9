import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort, listens } from '../../src/base/database/embedded/embedded-postgres.js';
import { client, eventually, send, type Client } from '../support/http.js';
import { patience } from '../support/speed.js';

// The built service as a process group of its own, with its embedded database and its sandbox.
const ROOT = path.resolve(import.meta.dirname, '../..');
type Line = Record<string, unknown> & { message?: string };

let home: string;
let child: ChildProcess;
let ports: string[];
let ended: Promise<number | null>;
let stdout: string;
let stderr: string;
let scim: Client;

const dataDir = () => path.join(home, 'data');
const url = () => `http://127.0.0.1:${ports[0]}`;
const json = (file: string) => JSON.parse(readFileSync(path.join(dataDir(), file), 'utf8'));
const postmaster = () => {
  const file = path.join(json('database.json').folder, 'postmaster.pid');
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split('\n')[0]) : null;
};
const ready = () => send('GET', `${url()}/readyz`, null).then(({ status }) => status, () => 0); // prettier-ignore
const lines = (): Line[] =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
const saying = (message: string) => lines().filter((line) => line.message === message);

beforeEach(async () => {
  home = mkdtempSync(path.join(os.tmpdir(), 'bridge-ends-'));
  ports = [String(await freePort()), String(await freePort())];
  [stdout, stderr] = ['', ''];
  child = spawn(process.execPath, [path.join(ROOT, 'dist/main.js')], {
    cwd: home,
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir(), PORT: ports[0], SANDBOX_PORT: ports[1] },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  child.stdout!.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  ended = once(child, 'close').then(([code]) => code as number | null);
  await eventually(ready, (status) => status === 200, 60_000);
  scim = client(`${url()}/scim/v2`, json('credentials.json').scim_token as string, 'application/scim+json');
});
afterEach(async () => {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  await ended;
  const pid = postmaster();
  if (pid !== null) {
    process.kill(pid, 'SIGINT');
    await eventually(async () => postmaster(), (left) => left === null); // prettier-ignore
  }
  rmSync(path.dirname(json('database.json').folder as string), { recursive: true, force: true });
  rmSync(home, { recursive: true, force: true });
});

it.each(['SIGTERM', 'SIGHUP', 'SIGINT'] as const)(
  '%s to the whole process group ends the service, its database and its sandbox',
  async (signal) => {
    expect(await listens(Number(ports[1]))).toBe(true);
    process.kill(-child.pid!, signal);
    expect(await ended).toBe(0);
    expect(postmaster()).toBeNull();
    expect(await listens(Number(ports[1]))).toBe(false);
    expect(saying('started')).toHaveLength(1);
    expect(lines().at(-1)).toMatchObject({ message: 'stopped', role: 'all', ms: expect.any(Number) });
  },
);

it(
  'restarts its embedded database when that dies, with an event for the outage and one for its end',
  async () => {
    const before = postmaster()!;
    process.kill(before, 'SIGKILL');
    const refused: number[] = [];
    await eventually(
      async () => {
        const answers = await Promise.all(Array.from({ length: 10 }, () => scim.get('/Users')));
        refused.push(...answers.map(({ status }) => status).filter((status) => status !== 200));
        // Children of the killed server can answer until they notice, so a new one has to be there.
        const isBack = ![null, before].includes(postmaster());
        return { isWell: answers.every(({ status }) => status === 200), refused: refused.length, isBack, stderr };
      },
      ({ isWell, refused, isBack }) => isWell && refused > 0 && isBack,
      40_000,
    );
    // A probe can meet a connection of the pool that ended with the old server, and its answer is kept for a second.
    await eventually(ready, (status) => status === 200, 20_000);
    expect(new Set(refused)).toEqual(new Set([503]));
    await eventually(async () => stderr, (said) => said.includes('embedded database restarted'), 20_000); // prettier-ignore

    await eventually(async () => saying('database back'), (said) => said.length > 0, 20_000); // prettier-ignore
    process.kill(child.pid!, 'SIGTERM');
    expect(await ended).toBe(0);
    expect(saying('database away').map(({ level }) => level)).toEqual(['error']);
    expect(saying('database back')).toEqual([expect.objectContaining({ lasted_ms: expect.any(Number) })]);
    // No stack for each request, and none for the background work.
    expect(lines().filter((line) => JSON.stringify(line).includes('"stack"'))).toEqual([]);
  },
  patience(120_000),
);

it('logs JSON lines with their process, and the reason of a refused SCIM request', async () => {
  const made = await scim.post('/Users', { userName: 'ada@example.com' });
  expect(made.status).toBe(201);
  await scim.post('/Users', { userName: 'ada@example.com' });
  await scim.patch(`/Users/${made.body.id}`, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
    Operations: [{ op: 'replace', path: 'active', value: 'ada@example.com is no boolean' }],
  });
  await scim.post('/Groups', { displayName: 17, externalId: 'ada@example.com' });
  process.kill(child.pid!, 'SIGTERM');
  await ended;
  const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
  for (const line of lines()) {
    expect(line).toMatchObject({ role: 'all', version, process: `${os.hostname()}:${child.pid}` });
  }
  const refused = lines().filter((line) => line.message === 'request' && (line['status'] as number) >= 400);
  expect(refused.map(({ status, scim_type, resource }) => [status, scim_type, resource])).toEqual([
    [409, 'uniqueness', 'Users'],
    [400, 'invalidValue', 'Users'],
    [400, 'invalidValue', 'Groups'],
  ]);
  expect(refused.map(({ reason }) => reason)).toEqual([
    expect.stringMatching(/userName/),
    expect.stringMatching(/"active"/),
    expect.stringMatching(/"displayName"/),
  ]);
  expect(stdout).not.toContain('ada@example.com');
});
