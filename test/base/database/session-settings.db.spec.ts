import { randomBytes } from 'node:crypto';
import { SESSION_SETTINGS } from '../../../src/base/database/session-settings.js';
import { waitForDatabase } from '../../../src/start/data-source.js';
import { testDatabase, type TestDatabase } from '../../support/database.js';
import { describeWithPgBouncer, startPgBouncer, type Pooler } from '../../support/pgbouncer.js';
import { long } from '../../support/rounds.js';

let test: TestDatabase;
beforeAll(async () => {
  test = await testDatabase(2);
});
afterAll(() => test.close());

it('sets each setting that plans and results depend on, over that of the database', async () => {
  const name = decodeURIComponent(new URL(test.url).pathname.slice(1));
  await test.owner.execute(`alter database ${name} set random_page_cost = 40`);
  await test.owner.execute(`alter database ${name} set DateStyle = 'SQL, DMY'`);
  await test.owner.execute(`alter database ${name} set default_transaction_isolation = 'serializable'`);
  await test.owner.execute(`alter database ${name} set TimeZone = 'Asia/Kathmandu'`);
  await waitForDatabase(test.url);
  const { rows } = await test.db.execute<{ name: string; setting: string }>(
    `select name, setting from pg_settings where name = any($1)`,
    [Object.keys(SESSION_SETTINGS)],
  );
  expect(Object.fromEntries(rows.map((row) => [row.name, row.setting]))).toEqual(SESSION_SETTINGS);
});

long('refuses a database of another encoding', async () => {
  const name = `latin_${randomBytes(4).toString('hex')}`;
  await test.owner.execute(`create database ${name} encoding 'LATIN1' locale 'C' template template0`);
  const url = new URL(test.url);
  url.pathname = `/${name}`;
  try {
    await expect(waitForDatabase(url.href)).rejects.toThrow('the database is in LATIN1');
  } finally {
    await test.owner.execute(`drop database ${name} with (force)`);
  }
});

describeWithPgBouncer('behind PgBouncer', () => {
  const IGNORED = 'ignore_startup_parameters = options';
  let pooler: Pooler;
  afterEach(() => pooler.stop());

  /** As the manual of PgBouncer proposes it, where startup options are dropped. */
  async function setByTheDatabase(): Promise<void> {
    const name = decodeURIComponent(new URL(test.url).pathname.slice(1));
    for (const [setting, value] of Object.entries(SESSION_SETTINGS)) {
      const list = setting === 'DateStyle' ? value : `'${value}'`;
      await test.owner.execute(`alter database ${name} set ${setting} = ${list}`);
    }
  }

  it.each(['transaction', 'statement', 'session'])(
    'refuses a pooler that refuses startup options (%s)',
    async (mode) => {
      pooler = await startPgBouncer(test.url, [`pool_mode = ${mode}`]);
      await expect(waitForDatabase(pooler.url)).rejects.toThrow(
        /a pooler between refuses the settings .*unsupported startup parameter.*Give the address of the server itself/,
      );
    },
  );

  long('refuses a pooler that drops startup options', async () => {
    const name = decodeURIComponent(new URL(test.url).pathname.slice(1));
    await test.owner.execute(`alter database ${name} reset all`);
    pooler = await startPgBouncer(test.url, ['pool_mode = session', IGNORED]);
    await expect(waitForDatabase(pooler.url)).rejects.toThrow(/not in force \(plan_cache_mode, random_page_cost/);
  });

  long('refuses transaction mode also when every setting is in force', async () => {
    await setByTheDatabase();
    pooler = await startPgBouncer(test.url, ['pool_mode = transaction', IGNORED]);
    await expect(waitForDatabase(pooler.url)).rejects.toThrow('a pooler in transaction mode');
    await pooler.stop();
    pooler = await startPgBouncer(test.url, ['pool_mode = transaction', IGNORED, 'server_round_robin = 1']);
    await expect(waitForDatabase(pooler.url)).rejects.toThrow('a pooler in transaction mode');
  });

  long('accepts session mode when every setting is in force', async () => {
    await setByTheDatabase();
    pooler = await startPgBouncer(test.url, ['pool_mode = session', IGNORED]);
    await expect(waitForDatabase(pooler.url)).resolves.toBeUndefined();
  });
});
