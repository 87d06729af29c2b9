import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Base addresses of tenants are looked up in a table of their own, before the tenant is known. */
export class TenantAddresses1767227910000 implements MigrationInterface {
  name = 'TenantAddresses1767227910000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table tenant_addresses (
        base_url text collate "C" primary key,
        tenant_id text collate "C" not null
      )`);
    await db.query(`
      create trigger tenant_addresses_told after insert or update or delete on tenant_addresses
      for each row execute function tell_settings()`);
    await db.query(`
      insert into tenant_addresses (base_url, tenant_id) select base_url, id from tenants where base_url is not null`);
    await db.query(`drop index tenants_base_url`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`create unique index tenants_base_url on tenants (base_url) where base_url is not null`);
    await db.query(`drop table tenant_addresses`);
  }
}
