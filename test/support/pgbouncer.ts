import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { accessSync, chmodSync, chownSync, constants, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../../src/base/database/embedded/embedded-postgres.js';
import { eventually } from './http.js';
import pg from 'pg';

/** A PgBouncer in front of a database. */
export interface Pooler {
  url: string;
  stop(): Promise<void>;
}

const found = ['/usr/sbin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']
  .map((folder) => path.join(folder, 'pgbouncer'))
  .find((file) => {
    try {
      accessSync(file, constants.X_OK);
      return true;
    } catch {
      return false; // not there
    }
  });
const required = process.env['PGBOUNCER_TESTS'] === 'required';

/**
 * `describe` for tests with a real PgBouncer. Where there is none they are skipped, and it is said; with
 * `PGBOUNCER_TESTS=required` (`.ci/run`) that is a failure.
 */
export const describeWithPgBouncer = found !== undefined || required ? describe : describe.skip;

if (found === undefined && !required) {
  process.stderr.write(
    'No PgBouncer on this machine: its tests are skipped. Install one (apt-get install pgbouncer).\n',
  );
}

/** Starts a PgBouncer in front of a database; `settings` are lines of its section `[pgbouncer]`. */
export async function startPgBouncer(databaseUrl: string, settings: readonly string[]): Promise<Pooler> {
  if (found === undefined) throw new Error('PGBOUNCER_TESTS=required, and there is no pgbouncer on this machine');
  const to = new URL(databaseUrl);
  const port = await freePort();
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pgbouncer-'));
  const file = path.join(folder, 'pgbouncer.ini');
  const server = `host=${to.hostname} port=${to.port} user=${to.username} password=${decodeURIComponent(to.password)}`;
  writeFileSync(
    file,
    `[databases]\n* = ${server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\n` +
      `auth_type = any\n${settings.join('\n')}\n`,
  );
  const user = process.getuid?.() === 0 ? unprivileged() : {};
  if (user.uid !== undefined) for (const each of [folder, file]) chownSync(each, user.uid, user.gid!);
  chmodSync(file, 0o600);
  const child = spawn(found, ['-q', file], { ...user, stdio: 'ignore' });
  const ended = once(child, 'exit');
  const url = new URL(databaseUrl);
  url.port = String(port);
  await eventually(() => answers(url.href), (yes) => yes, 10_000); // prettier-ignore
  const stop = async (): Promise<void> => {
    child.kill('SIGINT');
    await ended;
    rmSync(folder, { recursive: true });
  };
  return { url: url.href, stop };
}

/** PgBouncer does not run as root. */
function unprivileged(): { uid?: number; gid?: number } {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const [, , uid, gid] = (lines.find((line) => line.startsWith('nobody:')) ?? '').split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // the next try reports it
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined); // it was never up
  }
}
