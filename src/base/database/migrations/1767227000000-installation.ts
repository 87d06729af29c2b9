import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The installation itself, in one row. `generation` moves after changes of users, and is written down outside the database
 * too: a database that was put back to an earlier state is behind it.
 */
export class Installation1767227000000 implements MigrationInterface {
  name = 'Installation1767227000000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table installation (
        one boolean primary key default true check (one),
        id uuid not null default gen_random_uuid(),
        generation bigint not null default 0,
        last_sequence bigint not null default 0,
        restored_at timestamptz
      )`);
    await db.query(`insert into installation default values`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table installation`);
  }
}
