import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { SandboxPlatform } from '../../src/sandbox/sandbox-platform.js';
import { startApp, type TestApp } from '../support/app.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { send } from '../support/http.js';
import { blocksOf, PAGES, ROOT } from './documents.js';

// Runs the `sh` blocks of docs/start and docs/run, page by page and in their order, against a service and a sandbox
// platform. Only the ports differ from those of the pages.
let app: TestApp;
let sandbox: SandboxPlatform;
let sandboxDatabase: TestDatabase;
let folder: string;
let started = 0;

beforeAll(async () => {
  sandboxDatabase = await testDatabase(2);
  sandbox = new SandboxPlatform({ databaseUrl: sandboxDatabase.url, port: 0 });
  await sandbox.start();
  app = await startApp();
  await send('PUT', `${app.url}/api/v1/platform`, app.tenant.apiKey, { base_url: sandbox.url, api_key: 'key-recipes' });

  folder = mkdtempSync(path.join(os.tmpdir(), 'bridge-recipes-'));
  mkdirSync(path.join(folder, '.data'));
  symlinkSync(path.join(ROOT, 'scripts'), path.join(folder, 'scripts'));
  symlinkSync(path.join(ROOT, 'test'), path.join(folder, 'test'));
  const credentials = {
    api_key: app.tenant.apiKey,
    scim_base_url: `${app.url}/scim/v2`,
    scim_token: app.tenant.scimToken,
    operator_token: app.operatorToken,
  };
  writeFileSync(path.join(folder, '.data/credentials.json'), JSON.stringify(credentials));
  // The built command line in place of npx, and a note in place of a second `npm start`.
  command(
    'npx',
    `[ "$1" = talent-bridge ] && shift && exec "${process.execPath}" "${ROOT}/bin/talent-bridge.mjs" "$@"`,
  );
  command('npm', `[ "$*" = start ] && echo started`);
});
afterAll(async () => {
  await app?.close();
  await sandbox?.stop();
  await sandboxDatabase?.close();
  rmSync(folder, { recursive: true, force: true });
});

function command(name: string, script: string): void {
  const file = path.join(folder, 'bin', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

/** Runs a block as a reader would who copies it. */
function run(block: string): Promise<string> {
  const script = block.replaceAll('localhost:3000', new URL(app.url).host).replaceAll('localhost:3001', new URL(sandbox.url).host); // prettier-ignore
  const { NODE_OPTIONS: _, OPERATOR_TOKEN: __, ...env } = process.env;
  const options = {
    cwd: folder,
    env: { ...env, PATH: `${path.join(folder, 'bin')}:${env['PATH']}` },
  };
  return new Promise((resolve, reject) => {
    execFile('bash', ['-euo', 'pipefail', '-c', script], options, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${script}\n${stdout}\n${stderr}`));
    });
  });
}

const pages = PAGES.filter((page) => /^docs\/(start|run)\//.test(page) && blocksOf(page, 'sh').length > 0);

it('finds pages with shell lines', () => {
  expect(pages).toEqual(expect.arrayContaining(['docs/start/try-it.md', 'docs/run/install.md', 'docs/run/keys.md']));
});

it.each(pages)('the shell lines of %s work', async (page) => {
  for (const block of blocksOf(page, 'sh')) {
    const out = await run(block);
    if (block.trim() === 'npm start') started += out.includes('started') ? 1 : 0;
    // SCIM answers errors with status 200 of curl: they are in the body.
    expect([block, out]).toEqual([block, expect.not.stringContaining('urn:ietf:params:scim:api:messages:2.0:Error')]);
  }
});

it('the first page starts the service, and brings both of its users to the platform', async () => {
  expect(started).toBe(1);
  const { body } = await send('GET', `${sandbox.url}/v1/users?limit=100`, 'key-recipes');
  const emails = (body.data as { email: string }[]).map(({ email }) => email);
  expect(emails).toEqual(expect.arrayContaining(['ann@example.com', 'ben@example.com']));
});

it('the script of docs/seats/ledger.md verifies an export of this service', async () => {
  writeFileSync(path.join(folder, 'verify.mjs'), blocksOf('docs/seats/ledger.md', 'js')[0]!);
  const [lines = ''] = blocksOf('docs/seats/ledger.md', 'text');
  const commands = lines.split('\n').filter((line) => !line.includes('<hash>'));
  const out = await run([...commands, 'node verify.mjs export.ndjson heads.json'].join('\n'));
  expect(out).toMatch(/^ok: [1-9]\d* lines, [1-9]\d* seats held, head [0-9a-f]{64}$/m);
});

it('docs/start and docs/run have no shell lines in blocks of another name', () => {
  for (const page of PAGES.filter((one) => /^docs\/(start|run)\//.test(one))) {
    expect([page, blocksOf(page, 'bash').concat(blocksOf(page, 'shell'))]).toEqual([page, []]);
  }
});

it('README.md has the first request of the first page, word for word', () => {
  const [first] = blocksOf('README.md', 'sh');
  expect(blocksOf('docs/start/try-it.md', 'sh')).toContain(first);
});
