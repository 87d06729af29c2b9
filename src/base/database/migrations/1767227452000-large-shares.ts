import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Columns whose values can have very different numbers of rows, by table: a tenant, a directory, a group. */
const SHARES: Readonly<Record<string, readonly string[]>> = {
  users: ['tenant_id', 'directory_id'],
  user_emails: ['tenant_id'],
  groups: ['tenant_id', 'directory_id'],
  group_members: ['tenant_id', 'group_id'],
  pending_members: ['tenant_id', 'group_id'],
  lanes: ['tenant_id'],
  changes: ['tenant_id'],
};

/** What each value has of its table, at the most: a tenth. */
const DISTINCT = 10;

/**
 * Lets the planner take every tenant, directory and group for a large one. It plans for the average, and a thousand small
 * groups hide a large one: then it reads a whole group to find one member. For a small group the other plan costs as
 * little. It takes effect with an ANALYZE, and neither takes a lock that stops writes.
 */
export class LargeShares1767227452000 implements MigrationInterface {
  name = 'LargeShares1767227452000';

  async up(db: QueryRunner): Promise<void> {
    for (const [table, column] of columns()) {
      await db.query(`alter table ${table} alter column ${column} set (n_distinct = ${DISTINCT})`);
    }
    // Never of an empty table: the planner then takes it for one that stays empty.
    const filled = (await db.query(
      `select relname as name from pg_class where relnamespace = current_schema()::regnamespace and reltuples > 0
         and relname = any($1)`,
      [Object.keys(SHARES)],
    )) as { name: string }[];
    for (const { name } of filled) await db.query(`analyze ${name}`);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const [table, column] of columns()) {
      await db.query(`alter table ${table} alter column ${column} reset (n_distinct)`);
    }
  }
}

function columns(): [string, string][] {
  return Object.entries(SHARES).flatMap(([table, names]) => names.map((name): [string, string] => [table, name]));
}
