import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Tenants, their roles, their credentials and the audit log. Every key of tenant data leads with the tenant. */
export class CreateTenants1767225600000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    // Case mapping that does not depend on the operating system. Before PostgreSQL 17 there is no builtin provider.
    await db.query(`
      do $$ begin
        if current_setting('server_version_num')::int >= 170000 then
          create collation if not exists scim_text (provider = builtin, locale = 'C.UTF-8');
        else
          create collation if not exists scim_text (provider = libc, locale = 'C.utf8');
        end if;
      end $$`);
    await db.query(`
      create table tenants (
        id text collate "C" primary key,
        name text not null,
        time_zone text not null default 'UTC',
        owner_user_id text collate "C",
        api_may_write_directory_users boolean not null default false,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now()
      )`);
    await db.query(`
      create table roles (
        tenant_id text collate "C" not null references tenants (id),
        name text not null,
        takes_seat boolean not null,
        created_at timestamptz not null default now(),
        primary key (tenant_id, name)
      )`);
    await db.query(`
      create table api_keys (
        tenant_id text collate "C" not null references tenants (id),
        id text collate "C" not null,
        name text not null,
        prefix text not null,
        hash bytea not null,
        scopes text[] not null,
        owner_kind text not null check (owner_kind in ('service', 'person')),
        owner_user_id text collate "C",
        created_by jsonb not null,
        expires_at timestamptz,
        last_used_at timestamptz,
        revoked_at timestamptz,
        replaces_id text collate "C",
        created_at timestamptz not null default now(),
        primary key (tenant_id, id),
        unique (tenant_id, hash)
      )`);
    await db.query(`create sequence audit_sequence`);
    await db.query(`
      create table audit_entries (
        tenant_id text collate "C" not null references tenants (id),
        entry_id bigint not null default nextval('audit_sequence'),
        at timestamptz not null default clock_timestamp(),
        actor jsonb not null,
        action text not null,
        target_type text not null,
        target_id text not null,
        before jsonb,
        after jsonb,
        request_id text,
        sequence bigint,
        previous_hash bytea,
        hash bytea,
        primary key (tenant_id, entry_id)
      )`);
    await db.query(
      `create unique index audit_entries_sealed on audit_entries (tenant_id, sequence) where sequence is not null`,
    );
    await db.query(`create index audit_entries_unsealed on audit_entries (tenant_id, entry_id) where sequence is null`);
    // Append-only by the database itself: a line may be sealed once, and never changed or deleted.
    await db.query(`
      create function refuse_rewrite() returns trigger language plpgsql as $$
      begin
        if tg_op = 'UPDATE' and old.sequence is null and new.sequence is not null
           and (to_jsonb(new) - array['sequence','previous_hash','hash','count_after','effective_at'])
             = (to_jsonb(old) - array['sequence','previous_hash','hash','count_after','effective_at']) then
          return new;
        end if;
        raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
      end $$`);
    await db.query(`
      create trigger audit_entries_append_only before update or delete on audit_entries
      for each row execute function refuse_rewrite()`);
    await db.query(`
      create table idempotency_keys (
        tenant_id text collate "C" not null references tenants (id),
        credential_id text collate "C" not null,
        key text not null,
        request_hash bytea not null,
        status int,
        content_type text,
        response text,
        location text,
        created_at timestamptz not null default now(),
        primary key (tenant_id, credential_id, key)
      )`);
    await db.query(`create index idempotency_keys_age on idempotency_keys (tenant_id, created_at)`);
    await db.query(`
      create table jobs (
        tenant_id text collate "C" not null references tenants (id),
        id text collate "C" not null,
        kind text not null,
        state text not null default 'waiting' check (state in ('waiting', 'running', 'done', 'failed')),
        payload jsonb not null,
        done int not null default 0,
        total int,
        error text,
        lease_until timestamptz,
        created_by jsonb not null,
        created_at timestamptz not null default now(),
        finished_at timestamptz,
        primary key (tenant_id, id)
      )`);
    await db.query(`create index jobs_open on jobs (tenant_id, created_at) where state in ('waiting', 'running')`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table jobs, idempotency_keys, audit_entries, api_keys, roles, tenants`);
    await db.query(`drop sequence audit_sequence`);
    await db.query(`drop function refuse_rewrite()`);
    await db.query(`drop collation scim_text`);
  }
}
