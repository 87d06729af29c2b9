import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When a deleted user was created, which an undo of the deletion gives back. */
export class CreatedTimes1767228126000 implements MigrationInterface {
  name = 'CreatedTimes1767228126000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table guard_departures add column if not exists user_created_at timestamptz`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table guard_departures drop column user_created_at`);
  }
}
