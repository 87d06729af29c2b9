import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';

const ROOT = path.resolve(import.meta.dirname, '..', '..');
const RUNS = path.join(ROOT, '.data', 'test');

/**
 * One PostgreSQL for all files of this run (or TEST_DATABASE_URL), with a migrated template database of which every
 * file gets a copy. Jest compiles no module that its set-up imports, so the few that are needed are built here.
 */
export default async function setup() {
  await sweep();
  const run = path.join(RUNS, String(process.pid));
  mkdirSync(run, { recursive: true });
  const built = path.join(run, 'built');
  const swc = spawnSync(
    process.execPath,
    [
      path.join(ROOT, 'node_modules/@swc/cli/bin/swc.js'),
      'src/base',
      'src/start/data-source.ts',
      'src/start/database-access.ts',
      'src/tenancy/tenants/audit/audit.service.ts',
      '--copy-files',
      '-d',
      built,
      '--strip-leading-paths',
      '--quiet',
    ],
    { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' } },
  );
  if (swc.status !== 0) throw new Error('the set-up of the tests does not compile');
  const { prepareDatabase } = await import(pathToFileURL(path.join(built, 'start/database-access.js')).href);

  let admin = process.env.TEST_DATABASE_URL;
  if (admin === undefined) {
    const embedded = path.join(built, 'base/database/embedded/embedded-postgres.js');
    const { EmbeddedPostgres } = await import(pathToFileURL(embedded).href);
    // Nothing in a test outlives a power failure: without fsync the same statements run several times faster.
    // The databases of all files stay to the end of the run; their tables would be visited every minute.
    const settings = ['fsync=off', 'full_page_writes=off', 'max_connections=300', 'autovacuum_naptime=10min'];
    const server = await EmbeddedPostgres.start(run, settings);
    globalThis.stopTestPostgres = async () => {
      // An immediate shutdown: the checkpoint of an orderly one writes gigabytes that are removed at once.
      const [pid] = readFileSync(path.join(server.folder, 'postmaster.pid'), 'utf8').split('\n');
      process.kill(Number(pid), 'SIGQUIT');
      await server.stop();
      const gone = `${run}.gone`;
      renameSync(run, gone);
      removeLater(gone, server.folder);
    };
    admin = server.url('postgres');
  }
  const template = `test_template_${process.pid}`;
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  await client.query(`create database ${template}`);
  await client.end();
  const url = new URL(admin);
  url.pathname = `/${template}`;
  await prepareDatabase(url.href, null);
  process.env.TEST_DATABASE_URL = admin;
  process.env.TEST_TEMPLATE = template;
}

/** Removes folders in a process that outlives this one: a whole run leaves some 100 000 files. */
function removeLater(...folders) {
  const remove = `for (const folder of process.argv.slice(1)) fs.rmSync(folder, { recursive: true, force: true })`;
  spawn(process.execPath, ['-e', remove, ...folders], { detached: true, stdio: 'ignore' }).unref();
}

/** What a killed run left behind is stopped and removed. */
async function sweep() {
  mkdirSync(RUNS, { recursive: true });
  for (const name of readdirSync(RUNS)) {
    if (name.endsWith('.gone')) removeLater(path.join(RUNS, name));
    if (!/^\d+$/.test(name) || alive(Number(name))) continue;
    const run = path.join(RUNS, name);
    const embedded = path.join(run, 'built/base/database/embedded/embedded-postgres.js');
    try {
      const { EmbeddedPostgres } = await import(pathToFileURL(embedded).href);
      const server = await EmbeddedPostgres.start(run);
      await server.stop();
      rmSync(server.folder, { recursive: true, force: true });
    } finally {
      rmSync(run, { recursive: true, force: true });
    }
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
