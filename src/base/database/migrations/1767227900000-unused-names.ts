import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The functions that contain the name of the schema. */
const NAMING = ['analyze_table', 'make_month', 'drop_month'];

/**
 * Removes what no version uses any more: the view and the constraint by which tasks were called jobs, and the days of chains
 * from before days were signed. Functions ask for their schema in place of its name, so that a copy of the database in another
 * schema works.
 */
export class UnusedNames1767227900000 implements MigrationInterface {
  name = 'UnusedNames1767227900000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`drop view jobs`);
    await db.query(`alter table tasks rename constraint jobs_tenant_id_fkey to tasks_tenant_id_fkey`);
    await db.query(`drop table chain_days`);
    const functions = (await db.query(
      `select pg_get_functiondef(p.oid) as text, quote_ident(current_schema()) as schema from pg_proc p
       where p.pronamespace = quote_ident(current_schema())::regnamespace and p.proname = any($1)`,
      [NAMING],
    )) as { text: string; schema: string }[];
    for (const { text, schema } of functions) {
      const name = schema.replaceAll("'", "''");
      await db.query(
        text
          .replace(`'${name}'::regnamespace`, 'current_schema()::regnamespace')
          .replace(`format('${name}.%I', part)`, `format('%I.%I', current_schema(), part)`),
      );
    }
  }

  async down(): Promise<void> {
    throw new Error('the names of before cannot be taken back: restore a backup');
  }
}
