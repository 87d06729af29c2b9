import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Directories (one SCIM source each) and the tokens that name them. */
export class CreateDirectories1767225660000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table directories (
        tenant_id text collate "C" not null references tenants (id),
        id text collate "C" not null,
        name text not null,
        profile text not null check (profile in ('tolerant', 'entra', 'okta', 'strict', 'ipsie')),
        state text not null default 'live' check (state in ('live', 'preview')),
        default_role text,
        attribute_map jsonb not null default '{}',
        on_match text not null default 'link' check (on_match in ('link', 'refuse')),
        takes_over text collate "C",
        replace_creates_missing boolean not null default false,
        guard jsonb not null default '{}',
        last_request_at timestamptz,
        last_refusal jsonb,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        deleted_at timestamptz,
        primary key (tenant_id, id)
      )`);
    await db.query(`
      create table scim_tokens (
        tenant_id text collate "C" not null,
        id text collate "C" not null,
        directory_id text collate "C" not null,
        name text not null,
        prefix text not null,
        hash bytea not null,
        created_by jsonb not null,
        expires_at timestamptz,
        last_used_at timestamptz,
        revoked_at timestamptz,
        created_at timestamptz not null default now(),
        primary key (tenant_id, id),
        unique (tenant_id, hash),
        foreign key (tenant_id, directory_id) references directories (tenant_id, id)
      )`);
    await db.query(`create index scim_tokens_directory on scim_tokens (tenant_id, directory_id)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table scim_tokens, directories`);
  }
}
