import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pending members end after 90 days; the hourly sweep finds the old ones of each tenant by an index. */
export class PendingMembersEnd1767226920000 implements MigrationInterface {
  name = 'PendingMembersEnd1767226920000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`create index pending_members_since on pending_members (tenant_id, since)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop index pending_members_since`);
  }
}
