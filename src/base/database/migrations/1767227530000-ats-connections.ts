import type { MigrationInterface, QueryRunner } from 'typeorm';

const TOLD: Readonly<Record<string, string>> = {
  ats_connections: 'insert or delete or update',
  ats_tokens: 'insert or update or delete',
  ats_signing_secrets: 'insert or update or delete',
};

/**
 * Connections to ATSs: what they are made of, what is wrong with them, and how their webhooks are let in. A token of a
 * webhook is asked for before the tenant is known, so its key is unique over tenants; only its hash is kept.
 */
export class AtsConnections1767227530000 implements MigrationInterface {
  name = 'AtsConnections1767227530000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table ats_connections (
        tenant_id text collate "C" not null references tenants (id),
        id text collate "C" not null,
        provider text not null,
        name text not null,
        region text not null,
        base_url text,
        marker text collate "C" not null,
        state text not null,
        state_reason text,
        state_since timestamptz not null default now(),
        paused boolean not null default false,
        takes json not null,
        writes json not null,
        approved_by text,
        credential_sealed text,
        granted_scopes text[],
        created_by jsonb not null,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (tenant_id, id)
      )`);
    await db.query(`create unique index ats_connections_marker on ats_connections (tenant_id, marker)`);
    await db.query(`
      create table ats_problems (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        problem text collate "C" not null,
        detail text not null,
        since timestamptz not null default now(),
        primary key (tenant_id, connection_id, problem),
        foreign key (tenant_id, connection_id) references ats_connections (tenant_id, id) on delete cascade
      )`);
    await db.query(`
      create table ats_tokens (
        provider text collate "C" not null,
        hash bytea not null,
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        id text collate "C" not null,
        hint text not null,
        made boolean not null default false,
        created_at timestamptz not null default now(),
        primary key (provider, hash),
        foreign key (tenant_id, connection_id) references ats_connections (tenant_id, id) on delete cascade
      )`);
    await db.query(`create unique index ats_tokens_connection on ats_tokens (tenant_id, connection_id, id)`);
    await db.query(`
      create table ats_signing_secrets (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        id text collate "C" not null,
        sealed text not null,
        remote_id text,
        event text,
        created_at timestamptz not null default now(),
        primary key (tenant_id, connection_id, id),
        foreign key (tenant_id, connection_id) references ats_connections (tenant_id, id) on delete cascade
      )`);
    for (const [table, events] of Object.entries(TOLD)) {
      await db.query(
        `create trigger ${table}_told after ${events} on ${table} for each row execute function tell_settings()`,
      );
    }
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table ats_signing_secrets, ats_tokens, ats_problems, ats_connections`);
  }
}
