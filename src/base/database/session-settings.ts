import type { Client } from 'pg';
import { PlainFailure } from '../errors/domain-error.js';
import { LOCK_SECONDS } from './shares.js';

/** Settings of each connection, so that plans and results are the same on every server. None needs a right. */
export const SESSION_SETTINGS: Readonly<Record<string, string>> = {
  // All indexes lead with the tenant. A plan made from statistics that do not know a new tenant yet picks a wrong one.
  plan_cache_mode: 'force_generic_plan',
  // The default of 4 is the price of a rotating disk. With it, a group read scans all members of all tenants.
  random_page_cost: '1.1',
  // Bitmap scans never mark the dead entries they meet: a queue-like table would be read through them again and again.
  enable_bitmapscan: 'off',
  // A plan is made once for each connection, often while a table has a few rows: then a scan of the whole table is the best
  // plan, and with 100 000 rows the worst one. Tables without a fitting index are still read whole.
  enable_seqscan: 'off',
  // Compiling costs more than any of the statements.
  jit: 'off',
  statement_timeout: '15000',
  lock_timeout: String(LOCK_SECONDS * 1000),
  // The guards of the write statements rely on a new snapshot for each statement.
  default_transaction_isolation: 'read committed',
  // Times are read as text in some statements, and by the driver.
  DateStyle: 'ISO, MDY',
  IntervalStyle: 'postgres',
  TimeZone: 'UTC',
};

/**
 * Returns the settings for the startup packet: they cost no round trip.
 *
 * @param role the role that the connection steps down to; null for the address's own
 */
export function sessionOptions(role: string | null = null): string {
  const all = role === null ? SESSION_SETTINGS : { ...SESSION_SETTINGS, role };
  return Object.entries(all)
    .map(([name, value]) => `-c ${name}=${value.replaceAll(/([\\ ])/g, '\\$1')}`)
    .join(' ');
}

/** The driver's number of the backend that the server has announced. */
interface Announced {
  processID: number | null;
}

interface Found {
  version: string;
  encoding: string;
  backend: number;
  settings: Record<string, string>;
}

const WAY_OUT =
  'Give the address of the server itself, or of a pool in session mode that passes startup options on: the service ' +
  'has a pool of its own (DATABASE_POOL).';

/** The oldest server with the needed collations, `unnest … with ordinality` and generic plans. */
const OLDEST_SERVER = 150_000;

/**
 * Checks that the service can use the server, and that the server itself is at the other end of the connection.
 *
 * @param client connected with {@link sessionOptions}
 * @param another opens one more such connection
 * @throws {PlainFailure} with the reason in words
 */
export async function demandUsable(client: Client, another: () => Promise<Client>): Promise<void> {
  const { rows } = await client.query<Found>(
    `select current_setting('server_version_num') as version, current_setting('server_encoding') as encoding,
       pg_backend_pid() as backend,
       (select jsonb_object_agg(name, setting) from pg_settings where name = any($1)) as settings`,
    [Object.keys(SESSION_SETTINGS)],
  );
  const { version, encoding, backend, settings } = rows[0]!;
  if (Number(version) < OLDEST_SERVER) throw new PlainFailure('PostgreSQL 15 or later is needed.');
  if (encoding !== 'UTF8') {
    throw new PlainFailure(`the database is in ${encoding}; names from everywhere need one in UTF8.`);
  }
  const lost = Object.entries(SESSION_SETTINGS).filter(([name, value]) => settings[name] !== value);
  if (lost.length > 0) {
    const names = lost.map(([name]) => name).join(', ');
    throw new PlainFailure(
      `the settings of a connection are not in force (${names}): a pooler between drops startup options. ${WAY_OUT}`,
    );
  }
  // A pooler announces a number of its own. A server never does. node-postgres has the number and does not declare it.
  if ((client as unknown as Announced).processID === backend) return;
  if (await isShared(client, backend, another)) {
    throw new PlainFailure(
      'a pooler in transaction mode is between the service and PostgreSQL (PgBouncer, or one like it): prepared ' +
        `statements, LISTEN and locks of a connection would meet another one. ${WAY_OUT}`,
    );
  }
}

/** Other transactions that are opened to find one with the backend of a connection which is still open. */
const TRIES = 8;

/** Whether the backend of an open connection is given to others between its transactions. */
async function isShared(client: Client, backend: number, another: () => Promise<Client>): Promise<boolean> {
  const held: Client[] = [];
  try {
    for (let i = 0; i < TRIES; i++) {
      const other = await another();
      held.push(other);
      await other.query('begin');
      if ((await backendOf(other)) === backend || (await backendOf(client)) !== backend) return true;
    }
    return false;
  } finally {
    await Promise.all(held.map((each) => each.end()));
  }
}

async function backendOf(client: Client): Promise<number> {
  const { rows } = await client.query<{ backend: number }>('select pg_backend_pid() as backend');
  return rows[0]!.backend;
}

/** Returns words for an error of the first connection that shows a pooler. */
export function poolerIn(error: unknown): PlainFailure | null {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  if (code !== '08P01' || typeof message !== 'string' || !/startup parameter/i.test(message)) return null;
  return new PlainFailure(`a pooler between refuses the settings of a connection (“${message}”). ${WAY_OUT}`);
}
