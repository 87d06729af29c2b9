import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which private origin the operator chose for a tenant. Before, any tenant that named the operator's own platform was
 * let through to it. Only the first tenant can have been given such an address by the operator.
 */
export class TrustOriginsByTenant1767226060000 implements MigrationInterface {
  name = 'TrustOriginsByTenant1767226060000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table destinations add column operator_origin text`);
    await db.query(`
      update destinations set operator_origin = lower(substring(base_url from '^https?://[^/]+'))
      where tenant_id = (select id from tenants order by created_at, id limit 1)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table destinations drop column operator_origin`);
  }
}
