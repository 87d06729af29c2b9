import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Names of SAML service providers and slugs stay with the tenant that used them first. An IdP goes on trusting a name
 * after its connection was deleted here, so no other tenant may ever speak under it.
 */
export class ReserveSignInNames1767226400000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Null: the connection is deleted, and the slug is reserved for its tenant.
    await db.query(`alter table connection_slugs alter column connection_id drop not null`);
    await db.query(`
      insert into connection_slugs (slug, tenant_id, connection_id)
      select distinct on (slug) slug, tenant_id, null from connections
      where deleted_at is not null order by slug, deleted_at desc
      on conflict do nothing`);
    await db.query(`
      create table saml_entity_ids (
        entity_id text collate "C" primary key,
        tenant_id text collate "C" not null
      )`);
    // Of several tenants the one with the oldest connection has the name. The connections of the others work on.
    await db.query(`
      insert into saml_entity_ids (entity_id, tenant_id)
      select distinct on (key) key, tenant_id from (
        select lower(rtrim(settings ->> 'sp_entity_id', '/') collate "C") as key, tenant_id, created_at, id from connections
        where type = 'saml' and settings ->> 'sp_entity_id' is not null) named
      order by key, created_at, id`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table saml_entity_ids`);
    await db.query(`delete from connection_slugs where connection_id is null`);
    await db.query(`alter table connection_slugs alter column connection_id set not null`);
  }
}
