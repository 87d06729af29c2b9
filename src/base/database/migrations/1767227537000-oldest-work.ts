import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tells the service when the oldest of its transactions began. PostgreSQL shows `xact_start` only to roles with
 * the rights of the login. The connections of a service with one address log in as the owner and step down to a role that may not
 * see it, so the owner looks for them.
 */
export class OldestWork1767227537000 implements MigrationInterface {
  name = 'OldestWork1767227537000';

  async up(db: QueryRunner): Promise<void> {
    const [{ schema }] = (await db.query(`select quote_ident(current_schema()) as schema`)) as [{ schema: string }];
    await db.query(`
      create function oldest_work() returns timestamptz language sql volatile security definer
        set search_path = ${schema}, pg_temp as $$
        select min(xact_start) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and usename = session_user $$`);
    await db.query(`revoke all on function oldest_work() from public`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop function oldest_work()`);
  }
}
