import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A tenant can have a base address of its own, which no other tenant has. */
export class TenantAddresses1767226940000 implements MigrationInterface {
  name = 'TenantAddresses1767226940000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table tenants add column base_url text collate "C"`);
    await db.query(`create unique index tenants_base_url on tenants (base_url) where base_url is not null`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table tenants drop column base_url`);
  }
}
