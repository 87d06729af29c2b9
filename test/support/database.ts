import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { Database } from '../../src/base/database/database.js';
import { SERVICE_ROLE } from '../../src/base/database/service-role.js';
import { createDataSource } from '../../src/start/data-source.js';

/** A fresh, migrated database of a test file's own. `db` and `dataSource` have the role of the service. */
export interface TestDatabase {
  db: Database;
  /** With the rights of the owner: what the service may not do (rewriting ledgers, changing tables). */
  owner: Database;
  dataSource: DataSource;
  url: string;
  close(): Promise<void>;
}

/** Makes a copy of the migrated template. */
export async function testDatabase(pool = 10): Promise<TestDatabase> {
  const url = await copyOfTemplate();
  const dataSource = createDataSource(url, pool, SERVICE_ROLE);
  await dataSource.initialize();
  const owner = await ownerOf(url);
  const db = new Database(dataSource);
  return {
    db,
    owner,
    dataSource,
    url,
    close: async () => {
      await db.close();
      if (dataSource.isInitialized) await dataSource.destroy();
      await owner.dataSource.destroy();
    },
  };
}

/**
 * Makes a copy of the migrated template, without a connection to it, and returns its address. It is dropped at the end of the
 * run: for each new file, ext4 looks over those that were deleted in the last minutes, and a copy has a thousand.
 */
export async function copyOfTemplate(): Promise<string> {
  const admin = process.env['TEST_DATABASE_URL'];
  if (admin === undefined) throw new Error('run the tests with npm test: its set-up starts PostgreSQL');
  const template = process.env['TEST_TEMPLATE'];
  const name = `${template}_${randomBytes(6).toString('hex')}`;
  const client = new pg.Client({ connectionString: admin });
  await client.connect();
  try {
    await client.query(`create database ${name} template ${template}`);
  } finally {
    await client.end();
  }
  const url = new URL(admin);
  url.pathname = `/${name}`;
  return url.href;
}

/** A database with the rights of its owner; its data source is to be destroyed. */
export async function ownerOf(url: string): Promise<Database> {
  const dataSource = createDataSource(url, 10);
  // What a test puts down beforehand may take longer on a busy machine than a statement of the service may.
  const extra = dataSource.options.extra as { options: string };
  dataSource.setOptions({ extra: { ...extra, options: `${extra.options} -c statement_timeout=0` } });
  await dataSource.initialize();
  return new Database(dataSource);
}
