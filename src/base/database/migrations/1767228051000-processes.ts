import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The processes of the installation, for the operator. */
export class Processes1767228051000 implements MigrationInterface {
  name = 'Processes1767228051000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table processes (
        id uuid primary key,
        name text not null,
        role text not null,
        version text not null,
        started_at timestamptz not null default now(),
        seen_at timestamptz not null default now()
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table processes`);
  }
}
