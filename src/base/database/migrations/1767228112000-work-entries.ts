import type { MigrationInterface, QueryRunner } from 'typeorm';

/** One table of leases and rests for all background work but the delivery, in place of those of inbound events and polls. */
export class WorkEntries1767228112000 implements MigrationInterface {
  name = 'WorkEntries1767228112000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table work_entries (
        tenant_id text collate "C" not null,
        kind text collate "C" not null,
        id text collate "C" not null,
        free_at timestamptz not null,
        due_at timestamptz,
        holder text,
        held_since timestamptz not null default now(),
        server text,
        failures int not null default 0,
        reason text,
        primary key (tenant_id, kind, id)
      ) with (fillfactor = 50)`);
    await db.query(`
      create index connections_metadata_due on connections ((coalesce(metadata_checked_at, '-infinity'::timestamptz)))
        where type = 'saml' and enabled and deleted_at is null`);
    await db.query(`
      create index domains_due on domains ((coalesce(checked_at, '-infinity'::timestamptz))) where verified_by = 'dns'`);
    await db.query(`drop table ats_inboxes`);
    await db.query(`alter table ats_syncs drop column fence, drop column lease_until, drop column failures`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop index connections_metadata_due`);
    await db.query(`drop index domains_due`);
    await db.query(`
      alter table ats_syncs add column fence bigint not null default 0, add column lease_until timestamptz,
        add column failures int not null default 0`);
    await db.query(`
      create table ats_inboxes (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        fence bigint not null default 0,
        lease_until timestamptz,
        not_before timestamptz,
        failures int not null default 0,
        primary key (tenant_id, connection_id)
      ) with (fillfactor = 50)`);
    await db.query(`drop table work_entries`);
  }
}
