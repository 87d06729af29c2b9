import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The orders in which lists of users are read page by page, and the users that were changed since a moment. Each leads
 * with the tenant and ends with the id. An entry of an index has at most 2 704 bytes, so of long texts the first 256
 * characters stand in it; the last character of Unicode stands for a missing value.
 */
export class ListOrders1767226710000 implements MigrationInterface {
  name = 'ListOrders1767226710000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`create index users_created on users (tenant_id, created_at, id)`);
    await db.query(`create index users_updated on users (tenant_id, updated_at, id)`);
    await db.query(`create index users_modified on users (tenant_id, (coalesce(resource_at, updated_at)), id)`);
    await db.query(`create index users_external_id_order on users
      (tenant_id, (coalesce(left(external_id, 256), chr(1114111)) collate "C"), id)`);
    await db.query(`create index users_display_name on users
      (tenant_id, (coalesce(left(lower((doc #>> '{displayName}') collate scim_text), 256), chr(1114111)) collate "C"), id)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(
      `drop index users_display_name, users_external_id_order, users_modified, users_updated, users_created`,
    );
  }
}
