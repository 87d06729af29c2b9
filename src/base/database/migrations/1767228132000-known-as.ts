import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The identity of users whose written one is held, and that a user was brought back. */
export class KnownAs1767228132000 implements MigrationInterface {
  name = 'KnownAs1767228132000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table users add column if not exists known_as jsonb,
      add column if not exists returned boolean not null default false`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table users drop column known_as, drop column returned`);
  }
}
