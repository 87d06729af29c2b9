import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type PoolClient } from 'pg';
import { DataSource, type QueryRunner } from 'typeorm';
import { BoundedClient } from '../base/database/bounded-client.js';
import { MIGRATIONS, createSchema, isEmpty } from '../base/database/migrations.js';
import { demandUsable, poolerIn, sessionOptions } from '../base/database/session-settings.js';

/**
 * The data source of the service. `pool` is the number of connections at the most. The driver is given, since TypeORM would
 * load a second copy of it from its folder.
 *
 * @param role what each connection steps down to, in its startup packet: no round trip; null: the address's own role
 */
export function createDataSource(url: string, pool: number, role: string | null = null): DataSource {
  return new DataSource({
    type: 'postgres',
    driver: pg,
    url,
    entities: [],
    migrations: MIGRATIONS,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    poolSize: pool,
    connectTimeoutMS: 5000,
    logging: false,
    extra: {
      Client: BoundedClient,
      options: sessionOptions(role),
      keepAlive: true,
    },
  });
}

const PATIENCE_MS = 60_000;

/**
 * Waits until the database lets us in, for as long as a restart of it may take.
 *
 * @param setting the setting that has the address, which errors name
 * @param waiting receives the error of the first try, when another try follows
 * @throws {PlainFailure} when the database is not usable; else the last error of the database
 */
export async function waitForDatabase(
  url: string,
  { setting = 'DATABASE_URL', waiting }: { setting?: string; waiting?: (error: unknown) => void } = {},
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  let tries = 0;
  for (;;) {
    const client = clientOf(url);
    try {
      await client.connect();
      return await demandUsable(client, async () => {
        const another = clientOf(url);
        await another.connect();
        return another;
      });
    } catch (error) {
      const pooler = poolerIn(error);
      if (pooler !== null) throw pooler;
      Object.assign(error as Error, { setting });
      if (!isPassing(error) || performance.now() > deadline) throw error;
      if (++tries === 1) waiting?.(error);
      await sleep(500);
    } finally {
      await client.end().catch(() => undefined); // it was never up
    }
  }
}

function clientOf(url: string): pg.Client {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000, options: sessionOptions() });
  client.on('error', () => undefined); // a connection that breaks while we ask is asked again
  return client;
}

/** Refused, unreachable, starting up, shutting down: it may be there in a moment. A wrong password will not be right. */
function isPassing(error: unknown): boolean {
  const code = (error as { code?: string }).code ?? '';
  return ['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EAI_AGAIN', 'ENOTFOUND', '57P03', '57P01', '53300'].includes(
    code,
  );
}

/**
 * Brings the schema of a database up to date, one process at a time: an empty database gets the schema as it is, another one
 * the migrations that it lacks. A lock that is not free within two seconds is asked for again instead of holding up the
 * traffic behind it.
 *
 * @param afterwards what else the owner does under the same lock: roles and grants
 * @param before called under the lock before the migrations that a database lacks; its error ends the start with nothing
 *   changed
 */
export async function migrate(
  url: string,
  afterwards: (owner: PoolClient, migrated: readonly string[]) => Promise<void> = async () => undefined,
  before: (owner: PoolClient) => Promise<void> = async () => undefined,
): Promise<string[]> {
  const source = new DataSource({
    type: 'postgres',
    driver: pg,
    url,
    migrations: MIGRATIONS,
    migrationsTableName: 'migrations',
    migrationsTransactionMode: 'each',
    poolSize: 2,
    logging: false,
    extra: { options: '-c lock_timeout=2000' },
  });
  await source.initialize();
  try {
    // Several processes may start at once; the second waits here and then finds nothing left to do.
    const lock = source.createQueryRunner();
    await takeMigrationLock(lock);
    try {
      const owner = (await lock.connect()) as PoolClient;
      const migrated = await bringUpToDate(source, lock, () => before(owner));
      await afterwards(owner, migrated);
      return migrated;
    } finally {
      await lock.query('select pg_advisory_unlock(7234502817)');
      await lock.release();
    }
  } finally {
    await source.destroy();
  }
}

/**
 * Takes the lock of migrations. A statement that waits would hold a snapshot, and a concurrent build of an index waits
 * for all older snapshots: the two would wait for each other. So the lock is asked for again and again.
 */
async function takeMigrationLock(lock: QueryRunner): Promise<void> {
  for (;;) {
    const [row] = (await lock.query('select pg_try_advisory_lock(7234502817) as taken')) as { taken: boolean }[];
    if (row!.taken) return;
    await sleep(100);
  }
}

async function bringUpToDate(source: DataSource, lock: QueryRunner, before: () => Promise<void>): Promise<string[]> {
  if (!(await isEmpty(lock))) {
    if (await source.showMigrations()) await before();
    return (await runWithRetry(source)).map(({ name }) => name);
  }
  await createSchema(lock, MIGRATIONS);
  return MIGRATIONS.map(({ name }) => name);
}

async function runWithRetry(source: DataSource): Promise<{ name: string }[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await source.runMigrations();
    } catch (error) {
      const lockTimeout = (error as { driverError?: { code?: string } }).driverError?.code === '55P03';
      if (!lockTimeout || attempt === 10) throw error;
    }
  }
}
