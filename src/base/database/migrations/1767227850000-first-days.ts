import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Directories remember when their first day began, so that one that is made again has no second first day. */
export class FirstDays1767227850000 implements MigrationInterface {
  name = 'FirstDays1767227850000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table directories add column first_day_from timestamptz not null default now()`);
    await db.query(`update directories set first_day_from = created_at`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table directories drop column first_day_from`);
  }
}
