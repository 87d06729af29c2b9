import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, removeIndex } from './build-index.js';

/** What sealing a line sets. */
const SEALING = ['sequence', 'previous_hash', 'hash', 'count_after', 'effective_at'];

/**
 * Sealing is part of each write. The guard of a ledger compared both forms of a line as JSON, which was half of the time of a
 * seal: now the condition of the trigger compares their columns, and the function runs for what it refuses alone. The
 * order of moments has sealed lines alone, since a line has no moment before it is sealed.
 */
export class LighterSeals1767227538000 implements MigrationInterface {
  name = 'LighterSeals1767227538000';
  /** An index is built concurrently outside a transaction only. Each step can be repeated after an interruption. */
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    for (const table of ['seat_entries', 'audit_entries']) {
      const kept = await keptColumns(db, table);
      const columns = (row: string): string => kept.map((column) => `${row}.${column}`).join(', ');
      await db.query(`
        create or replace trigger ${table}_never_deleted before delete on ${table}
        for each row execute function refuse_rewrite()`);
      await db.query(`
        create or replace trigger ${table}_append_only before update on ${table} for each row
        when (old.sequence is not null or new.sequence is null
          or (${columns('old')}) is distinct from (${columns('new')}))
        execute function refuse_rewrite()`);
    }
    await buildIndex(db, 'seat_entries_moment', MOMENTS);
    await removeIndex(db, 'seat_entries_time');
  }

  async down(db: QueryRunner): Promise<void> {
    await buildIndex(db, 'seat_entries_time', 'on seat_entries (tenant_id, effective_at, sequence)');
    await removeIndex(db, 'seat_entries_moment');
    for (const table of ['seat_entries', 'audit_entries']) {
      await db.query(`
        create or replace trigger ${table}_append_only before update or delete on ${table}
        for each row execute function refuse_rewrite()`);
      await db.query(`drop trigger if exists ${table}_never_deleted on ${table}`);
    }
  }
}

const MOMENTS = 'on seat_entries (tenant_id, effective_at, sequence) where effective_at is not null';

/** The columns that a line keeps when it is sealed. */
async function keptColumns(db: QueryRunner, table: string): Promise<string[]> {
  const rows = (await db.query(
    `select attname as column from pg_attribute where attrelid = to_regclass($1) and attnum > 0 and not attisdropped
       and attname <> all($2) order by attnum`,
    [table, SEALING],
  )) as { column: string }[];
  return rows.map(({ column }) => column);
}
