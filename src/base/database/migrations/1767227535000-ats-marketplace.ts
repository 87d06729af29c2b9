import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Connecting an ATS in a browser: connect links, the authorizations that are under way, and the lease of a renewal. A role
 * of the catalogue says whether its holders administer.
 */
export class AtsMarketplace1767227535000 implements MigrationInterface {
  name = 'AtsMarketplace1767227535000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table ats_connect_links (
        tenant_id text collate "C" not null references tenants (id),
        id text collate "C" not null,
        hash bytea not null,
        provider text not null,
        created_by jsonb not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        used_at timestamptz,
        revoked_at timestamptz,
        primary key (tenant_id, id)
      )`);
    await db.query(`create unique index ats_connect_links_hash on ats_connect_links (tenant_id, hash)`);
    await db.query(`
      create table ats_authorizations (
        tenant_id text collate "C" not null references tenants (id),
        hash bytea not null,
        provider text not null,
        browser_hash bytea not null,
        user_id text collate "C",
        link_id text collate "C",
        connection_id text collate "C",
        expires_at timestamptz not null,
        used_at timestamptz,
        primary key (tenant_id, hash)
      )`);
    await db.query(`create index ats_authorizations_expired on ats_authorizations (expires_at)`);
    await db.query(`
      create table ats_renewals (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        holder text not null,
        until timestamptz not null,
        primary key (tenant_id, connection_id),
        foreign key (tenant_id, connection_id) references ats_connections (tenant_id, id) on delete cascade
      )`);
    await db.query(`alter table ats_connections add column renew_at timestamptz`);
    await db.query(`create index ats_connections_renew on ats_connections (renew_at) where renew_at is not null`);
    await db.query(`alter table roles add column console text not null default 'none'`);
    await db.query(`update roles set console = 'admin' where name = 'Admin'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table roles drop column console`);
    await db.query(`drop index ats_connections_renew`);
    await db.query(`alter table ats_connections drop column renew_at`);
    await db.query(`drop table ats_renewals, ats_authorizations, ats_connect_links`);
  }
}
