import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { dataDirOf, findConnection } from '../../src/cli/client/connection.js';

const ROOT = path.resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
let folder: string;
let stub: Server;
let url: string;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'bridge-bin-')));
  mkdirSync(path.join(folder, '.data'));
  mkdirSync(path.join(folder, 'deep/er'), { recursive: true });
  // Acts as a service that is up and not ready: the test looks at what the executable prints, not at the service.
  stub = createServer((req, res) => {
    res.writeHead(req.url === '/healthz' ? 200 : 503, { 'Content-Type': 'application/json' });
    res.end('{"reason":"starting"}');
  });
  await new Promise<void>((resolve) => stub.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(stub.address() as AddressInfo).port}`;
  writeFileSync(
    path.join(folder, '.data/credentials.json'),
    JSON.stringify({ api_key: 'tbk_1', scim_base_url: `${url}/scim/v2` }),
  );
});
afterAll(async () => {
  await new Promise((resolve) => stub.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

it('finds the nearest data folder, above the current one too', () => {
  expect(dataDirOf({}, path.join(folder, 'deep/er'))).toBe(path.join(folder, '.data'));
  expect(dataDirOf({ DATA_DIR: 'x' }, folder)).toBe(path.join(folder, 'x'));
  expect(dataDirOf({}, os.tmpdir())).toBe(path.join(ROOT, '.data'));
  expect(findConnection({ DATA_DIR: path.join(folder, '.data') })).toMatchObject({ apiKey: 'tbk_1', url });
});

it.each<[string, string, string[]]>([
  ['as package.json names it', 'npx', ['--prefix', ROOT, 'talent-bridge', 'status', '--json']],
  ['as a script without the lines of npm', 'npm', ['--prefix', ROOT, 'run', '-s', 'cli', '--', 'status', '--json']],
])('prints JSON and nothing else with --json, %s', async (_, program, command) => {
  const env = { ...process.env, DATA_DIR: undefined };
  const { stdout } = await run(program, command, { cwd: path.join(folder, 'deep'), env });
  expect(JSON.parse(stdout)).toEqual({ url, up: true, ready: 'starting' });
});

it('prints its help in a folder of its own', () => {
  const out = execFileSync(process.execPath, [path.join(ROOT, 'bin/talent-bridge.mjs'), '--help'], { cwd: folder });
  expect(out.toString()).toMatch(/^Usage: talent-bridge/);
});
