import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../src/base/database/embedded/embedded-postgres.js';

// The scripts of package.json that are programs of their own.
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const PROGRAMS = Object.entries(scripts).filter(([name, line]) => /^node \S+\.mjs/.test(line) && name !== 'build:web');

let taken: net.Server;
/** Its connections: it does not read from them, so none ends when its other end does. */
const callers: net.Socket[] = [];
let port: number;
let dataDir: string;
beforeAll(async () => {
  // It accepts connections and never answers.
  taken = net.createServer((socket) => void callers.push(socket)).listen(0);
  await once(taken, 'listening');
  port = (taken.address() as net.AddressInfo).port;
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-scripts-'));
});
afterAll(async () => {
  for (const caller of callers) caller.destroy();
  await once(taken.close(), 'close');
  rmSync(dataDir, { recursive: true });
});

function run(line: string, env: Record<string, string | number> = {}): Promise<{ status: number; output: string }> {
  const [, ...args] = line.split(' ');
  const settings = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
  return new Promise((resolve) => {
    const options = { env: { PATH: process.env['PATH'], DATA_DIR: dataDir, ...settings }, timeout: 20_000 };
    const child = execFile(process.execPath, args, options, (_, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, output: stdout + stderr }),
    );
  });
}

it.each([...PROGRAMS, ['the built service', 'node dist/main.js']])(
  '%s prints help and starts nothing',
  async (_, line) => {
    const { status, output } = await run(`${line} --help`, { PORT: port });
    expect(status).toBe(0);
    expect(output.trim()).not.toBe('');
    expect(output).not.toMatch(/taken|Starting|Building/);
  },
);

it.each(['demo:idp', 'demo:ats'])('%s ends when another program has a port', async (name) => {
  const free = [await freePort(), await freePort(), await freePort(), await freePort()];
  const ports = name === 'demo:idp' ? 'DEMO_IDP_PORTS' : 'DEMO_ATS_PORTS';
  const ofService = await run(scripts[name]!, { PORT: port, [ports]: free.join(',') });
  expect([ofService.status, ofService.output]).toEqual([1, expect.stringContaining(`port ${port} is taken`)]);
  expect(ofService.output).toContain('The service did not start');
  const ofDemo = await run(scripts[name]!, { PORT: free[0]!, [ports]: [port, ...free.slice(1)].join(',') });
  expect([ofDemo.status, ofDemo.output]).toEqual([1, expect.stringMatching(`Port ${port} is taken .* ${ports}=`)]);
});
