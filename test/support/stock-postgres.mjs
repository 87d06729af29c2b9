// A PostgreSQL as it is installed: nothing is set but its address. Debian's programs where they are installed (a newest
// version is not chosen: the lowest is the one with the fewest improvements), else those that npm installed.
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, chownSync, mkdirSync, openSync } from 'node:fs';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { freePort } from './processes.mjs';

const DEBIAN = '/usr/lib/postgresql';
const OWNER = 'talent_bridge';
const DATABASE = 'talent_bridge';

/** The programs and the user to run them as, in the form of the service's own server. */
async function programs() {
  const root = path.resolve(import.meta.dirname, '..', '..');
  const own = await import(pathToFileURL(path.join(root, 'dist/base/database/embedded/binaries.js')).href);
  const found = await own.findBinaries();
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(a) - Number(b)) : [];
  const bin = versions
    .map((v) => path.join(DEBIAN, v, 'bin'))
    .find((folder) => existsSync(path.join(folder, 'initdb')));
  if (bin === undefined) return found;
  return { postgres: path.join(bin, 'postgres'), initdb: path.join(bin, 'initdb'), runAs: found.runAs };
}

/**
 * Starts a server with the settings of its package, on a data directory of its own. The database and its owner are
 * named as those of the service's own server.
 */
export async function startStockPostgres() {
  const { postgres, initdb, runAs } = await programs();
  const home = mkdtempSync(path.join(os.tmpdir(), 'stock-postgres-'));
  const folder = path.join(home, 'data');
  mkdirSync(folder, { mode: 0o700 });
  if (runAs) for (const file of [home, folder]) chownSync(file, runAs.uid, runAs.gid);
  const how = { ...runAs, cwd: '/', env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } };
  execFileSync(initdb, ['-D', folder, '-U', OWNER, '-A', 'trust', '-E', 'UTF8'], { ...how, stdio: 'pipe' });
  const port = await freePort();
  const log = openSync(path.join(home, 'server.log'), 'a');
  const child = spawn(
    postgres,
    ['-D', folder, '-p', String(port), '-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    {
      ...how,
      stdio: ['ignore', log, log],
    },
  );
  const ended = once(child, 'exit');
  const url = (database = DATABASE) => `postgres://${OWNER}@127.0.0.1:${port}/${database}`;
  await untilReady(url('postgres'), child, path.join(home, 'server.log'));
  return {
    url,
    folder,
    stop: async () => {
      child.kill('SIGINT');
      await ended;
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function untilReady(url, child, logFile) {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended:\n${readFileSync(logFile, 'utf8')}`);
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.query(`create database ${DATABASE}`);
      return;
    } catch (error) {
      if (error.code !== 'ECONNREFUSED' && error.code !== '57P03') throw error;
      await sleep(20);
    } finally {
      await client.end().catch(() => undefined); // A connection that was refused has nothing to end.
    }
  }
}
