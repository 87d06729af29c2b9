import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An inbound event keeps whether its signature was checked. One from before counts as unsigned: the ATS is asked. */
export class SignedEvents1767227600000 implements MigrationInterface {
  name = 'SignedEvents1767227600000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table ats_events add column signed boolean not null default false`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table ats_events drop column signed`);
  }
}
