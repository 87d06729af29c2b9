import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { MIGRATIONS } from '../../src/base/database/migrations.js';
import { startBeside, type Beside } from '../support/beside.js';
import { testDatabase, type TestDatabase } from '../support/database.js';
import { client, type Answer } from '../support/http.js';
import { fresh, madeUser, replace, scim, user } from '../support/scim.js';

// The program of the last released version, built from the history of the repository, and the present one beside it.
const ROOT = path.resolve(import.meta.dirname, '../..');
const [, last = '', commit = ''] =
  /^ {2}(\w+), \/\/ the last one of commit ([0-9a-f]{8})$/m.exec(
    readFileSync(path.join(ROOT, 'src/base/database/migrations.ts'), 'utf8'),
  ) ?? [];
const inHistory = spawnSync('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: ROOT }).status === 0;
const older = inHistory ? it : it.skip;

let home: string;
let database: TestDatabase;
const name = `older_${randomBytes(4).toString('hex')}`;
const running: Beside[] = [];
beforeAll(async () => {
  home = mkdtempSync(path.join(os.tmpdir(), 'bridge-older-'));
  database = await testDatabase(2);
});
afterAll(async () => {
  for (const one of running) await one.stop();
  await database.owner.execute(`drop database if exists ${name} with (force)`);
  await database.close();
  rmSync(home, { recursive: true, force: true });
});

/** Builds the program of the commit with the present packages, and returns its entry. */
function built(): string {
  const folder = path.join(home, 'program');
  mkdirSync(folder);
  execFileSync('sh', ['-c', `git archive ${commit} | tar -x -C "$0"`, folder], { cwd: ROOT });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: folder, stdio: 'pipe' });
  return path.join(folder, 'dist/main.js');
}

async function start(main?: string): Promise<Beside> {
  const address = new URL(database.url);
  address.pathname = `/${name}`;
  const shared = { databaseUrl: address.href, dataDir: path.join(home, 'data'), baseUrl: 'http://localhost:3000' };
  const one = await startBeside(shared, {}, main);
  running.push(one);
  return one;
}

older(
  inHistory
    ? 'the last released version and the present one serve one database side by side, whichever started last'
    : `the last released version beside the present one: this checkout lacks commit ${commit}, as a shallow clone does`,
  async () => {
    const program = built();
    await database.owner.execute(`create database ${name} template template0`);
    const first = await start(program);
    const key = JSON.parse(readFileSync(path.join(home, 'data/credentials.json'), 'utf8')) as Record<string, string>;
    const failed = new Set<string>();
    const noted = async (answer: Promise<Answer>): Promise<void> => {
      const { status, text } = await answer;
      if (status >= 400) failed.add(`${status} ${text.slice(0, 300)}`);
    };
    const work = async ({ url }: Beside, id: string): Promise<void> => {
      const directory = scim(url, key['scim_token']!);
      const api = client(`${url}/api/v1`, key['api_key']!);
      await noted(directory.post('/Users', user(`${fresh()}@example.com`)));
      await noted(directory.patch(`/Users/${id}`, replace('displayName', fresh())));
      await noted(directory.get('/Users?count=5'));
      await noted(api.post('/users', { email: `${fresh()}@x.example`, first_name: 'A', last_name: 'B' }));
      for (const place of READ) await noted(api.get(place.replace('{user}', id)));
    };
    const id = await madeUser(scim(first.url, key['scim_token']!));
    // Each statement is prepared on several connections before the schema changes.
    for (let round = 0; round < 3; round++) await Promise.all([1, 2, 3, 4].map(() => work(first, id)));
    let upgrading = true;
    const callers = [1, 2].map(async () => {
      while (upgrading) await work(first, id);
    });
    const second = await start();
    upgrading = false;
    await Promise.all(callers);
    await work(second, id);
    await work(first, id);
    const again = await start(program);
    await work(again, id);
    await work(second, id);
    expect([...failed]).toEqual([]);
    const shown = async ({ url }: Beside) =>
      (await scim(url, key['scim_token']!).get(`/Users/${id}`)).body as { displayName: string };
    const { displayName } = await shown(first);
    expect((await shown(second)).displayName).toBe(displayName);
  },
  300_000,
);

it('names a migration of the list as the last released one', () => {
  expect(MIGRATIONS.map((migration) => migration.name)).toContain(last);
});

const READ = [
  '/users?limit=5', '/users/{user}', '/users/{user}/history', '/users/{user}/explain', '/members', '/directories', '/roles', '/api-keys',
  '/changes', '/events', '/audit', '/held', '/tasks', '/requests', '/sign-ins', '/seats', '/status', '/overview', '/webhooks',
  '/connections', '/candidates', '/jobs', '/ats-connections',
]; // prettier-ignore
