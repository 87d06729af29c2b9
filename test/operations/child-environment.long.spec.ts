import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { childEnvironment } from '../../src/base/config/environment.js';

const MAIN = path.resolve(import.meta.dirname, '../../dist/main.js');
const CANARIES: Record<string, string> = {
  ENCRYPTION_KEY: Buffer.from('canary-encryption-key-0123456789').toString('base64'),
  CHAIN_SIGNING_KEY: Buffer.from('canary-chain-signing-key-0123456').toString('base64'),
  OPERATOR_TOKEN: 'canary-operator-token-0123456789012345',
  PLATFORM_API_KEY: 'canary-platform-key',
  PLATFORM_API_BASE_URL: 'http://127.0.0.1:1/canary-platform',
  SOMETHING_ELSE: 'canary-of-no-child',
};

it('passes the variables of the system and the listed ones', () => {
  process.env['CANARY'] = 'canary';
  const env = childEnvironment({ TOLD: 'yes' });
  delete process.env['CANARY'];
  expect(env).toMatchObject({ TOLD: 'yes', PATH: process.env['PATH'] });
  expect(env).not.toHaveProperty('CANARY');
  expect(env).not.toHaveProperty('NODE_OPTIONS');
});

const onLinux = process.platform === 'linux' ? it : it.skip;

onLinux('no child of the service has a key, a token or the address of the service’s database', async () => {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'bridge-children-'));
  const service = spawn(process.execPath, [MAIN], {
    cwd: dataDir,
    env: { PATH: process.env['PATH'], DATA_DIR: dataDir, PORT: '0', SANDBOX_PORT: '0', SANDBOX: 'on', ...CANARIES },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  try {
    await until(service, 'is ready');
    const { password, servicePassword } = JSON.parse(readFileSync(path.join(dataDir, 'database.json'), 'utf8'));
    const children = descendants(service.pid!);
    expect(children.map(({ command }) => command)).toEqual(
      expect.arrayContaining([expect.stringContaining('sandbox/main.js'), expect.stringContaining('postgres')]),
    );
    const secrets = [...Object.values(CANARIES), password as string, servicePassword as string];
    for (const { command, environment } of children) {
      for (const secret of secrets) expect([command, environment.includes(secret)]).toEqual([command, false]);
      expect([command, environment]).toEqual([command, expect.not.stringMatching(/(^|\0)DATABASE_URL=/)]);
    }
    const sandbox = children.find(({ command }) => command.includes('sandbox/main.js'))!;
    expect(sandbox.environment).toContain('SANDBOX_DATABASE_URL=postgres://talent_bridge_sandbox:');
  } finally {
    service.kill('SIGTERM');
    await once(service, 'close');
    const kept = JSON.parse(readFileSync(path.join(dataDir, 'database.json'), 'utf8')) as { folder: string };
    if (path.isAbsolute(kept.folder)) rmSync(path.dirname(kept.folder), { recursive: true, force: true });
    rmSync(dataDir, { recursive: true, force: true });
  }
});

/** Resolves when the process says so on its standard error; fails when it ends before. */
function until(service: ChildProcess, words: string): Promise<void> {
  let said = '';
  return new Promise((resolve, reject) => {
    service.stderr!.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      if (said.includes(words)) resolve();
    });
    service.once('exit', (code) => reject(new Error(`ended with ${code}:\n${said}`)));
  });
}

/** All processes below one, with their command lines and environments. */
function descendants(pid: number): { pid: number; command: string; environment: string }[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((each) => /^\d+$/.test(each))) {
    try {
      // The name in brackets may hold blanks: the parent is the second field after it.
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      parents.set(Number(name), Number(fields[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  const below = (id: number): boolean => id === pid || (parents.has(id) && below(parents.get(id)!));
  return [...parents.keys()]
    .filter((id) => id !== pid && below(id))
    .map((id) => ({
      pid: id,
      command: readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' '),
      environment: readFileSync(`/proc/${id}/environ`, 'utf8'),
    }));
}
