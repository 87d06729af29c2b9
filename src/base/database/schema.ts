import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { QueryRunner } from 'typeorm';

/** The files of the schema, in the order in which they run: each refers to tables of earlier ones. */
const FILES = [
  'base',
  'tenancy',
  'ledger',
  'sessions',
  'engine',
  'seats',
  'forwarding',
  'hiring',
  'directories',
  'users',
  'groups',
  'auth',
  'webhooks',
  'ats',
  'ats-inbound',
  'overview',
  'console',
  'operations',
];

/** A migration as TypeORM stores it: its class name ends with its time. */
interface Named {
  readonly name: string;
}

/** Returns whether a database has no schema yet. */
export async function isEmpty(db: QueryRunner): Promise<boolean> {
  const [found] = (await db.query(`select to_regclass('migrations') is null as empty`)) as [{ empty: boolean }];
  return found.empty;
}

/**
 * Makes the whole schema in an empty database, in one transaction. It contains what the migrations do, so they are noted
 * as run.
 */
export async function createSchema(db: QueryRunner, migrations: readonly Named[]): Promise<void> {
  await db.startTransaction();
  try {
    // Functions with the owner's rights keep this path: no table of a caller's own comes before those of the schema.
    await db.query(`select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)`);
    for (const file of FILES) {
      await db.query(readFileSync(path.join(import.meta.dirname, 'schema', `${file}.sql`), 'utf8'));
    }
    for (const { name } of migrations) {
      await db.query(`insert into migrations (timestamp, name) values ($1, $2)`, [name.slice(-13), name]);
    }
    await db.commitTransaction();
  } catch (error) {
    await db.rollbackTransaction();
    throw error;
  }
}
