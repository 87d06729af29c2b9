import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Tells a write of the SCIM resource from a write of what is in force. Both move `version`, by which concurrent writes
 * of a row are told apart. `quiet_writes` counts those that left the resource as it was: the version that SCIM shows is
 * `version - quiet_writes`. `resource_at` is the time of the resource's last change where that is not `updated_at`. Without a default that has to be computed no table is rewritten.
 */
export class ResourceRevisions1767226700000 implements MigrationInterface {
  name = 'ResourceRevisions1767226700000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table users add column quiet_writes int not null default 0`);
    await db.query(`alter table users add column resource_at timestamptz`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table users drop column resource_at, drop column quiet_writes`);
  }
}
