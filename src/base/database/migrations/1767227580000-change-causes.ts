import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A change keeps why it was made: what led to it, and where a new role comes from. A change from before has null. */
export class ChangeCauses1767227580000 implements MigrationInterface {
  name = 'ChangeCauses1767227580000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table changes add column cause jsonb`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table changes drop column cause`);
  }
}
