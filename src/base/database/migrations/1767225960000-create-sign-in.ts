import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sign-in: connections to IdPs, verified domains, sign-ins under way, whom a subject is, sessions, and the log. */
export class CreateSignIn1767225960000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table connections (
        tenant_id text collate "C" not null references tenants (id),
        id text collate "C" not null,
        slug text collate "C" not null,
        name text not null,
        type text not null check (type in ('oidc', 'saml')),
        enabled boolean not null,
        version int not null default 1,
        directory_id text collate "C",
        settings jsonb not null,
        client_secret_sealed text,
        private_key_sealed text,
        metadata_checked_at timestamptz,
        metadata_problem text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        deleted_at timestamptz,
        primary key (tenant_id, id),
        foreign key (tenant_id, directory_id) references directories (tenant_id, id)
      )`);
    await db.query(`create index connections_directory on connections (tenant_id, directory_id)`);
    // An IdP that begins a sign-in by itself names its issuer, and nothing else that is ours (OIDC Core §4).
    await db.query(
      `create index connections_issuer on connections using hash ((settings ->> 'issuer'))
       where type = 'oidc' and enabled and deleted_at is null`,
    );
    // What is unique over all tenants: a browser that comes back from an IdP names only the slug.
    await db.query(`
      create table connection_slugs (
        slug text collate "C" primary key,
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null
      )`);
    await db.query(`
      create table domains (
        tenant_id text collate "C" not null references tenants (id),
        domain text collate "C" not null,
        connection_id text collate "C",
        challenge text not null,
        verified_by text check (verified_by in ('dns', 'operator')),
        verified_at timestamptz,
        checked_at timestamptz,
        problem text,
        lost_at timestamptz,
        created_at timestamptz not null default now(),
        primary key (tenant_id, domain),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      )`);
    await db.query(`create index domains_connection on domains (tenant_id, connection_id)`);
    await db.query(`
      create table verified_domains (
        domain text collate "C" primary key,
        tenant_id text collate "C" not null
      )`);
    // One sign-in of one tab. `browser_hash` is of the secret in that browser's cookie, from which nonce and PKCE
    // verifier are made; so nothing in here is of use to whoever reads it.
    await db.query(`
      create table sign_in_requests (
        tenant_id text collate "C" not null,
        id text collate "C" not null,
        connection_id text collate "C" not null,
        kind text not null check (kind in ('sign-in', 'test')),
        browser_hash bytea,
        return_to text,
        code_challenge text,
        actor jsonb,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        used_at timestamptz,
        primary key (tenant_id, id),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      )`);
    await db.query(`create index sign_in_requests_age on sign_in_requests (tenant_id, expires_at)`);
    await db.query(`create index sign_in_requests_connection on sign_in_requests (tenant_id, connection_id)`);
    await db.query(`
      create table used_messages (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        message_id text collate "C" not null,
        until timestamptz not null,
        primary key (tenant_id, connection_id, message_id)
      )`);
    await db.query(`create index used_messages_age on used_messages (tenant_id, until)`);
    await db.query(`
      create table idp_logouts (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        mark text collate "C" not null,
        ended_at timestamptz not null,
        until timestamptz not null,
        primary key (tenant_id, connection_id, mark)
      )`);
    // Whom a subject of an IdP is. An ended binding stays, so that nobody who was put out is made anew by signing in.
    await db.query(`
      create table identities (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        subject text collate "C" not null,
        user_id text collate "C" not null,
        made_by text not null check (made_by in ('claim', 'user_name', 'email', 'created')),
        made_of text not null,
        created_at timestamptz not null default now(),
        last_sign_in_at timestamptz not null default now(),
        ended_at timestamptz,
        end_reason text check (end_reason in ('deleted', 'connection_changed', 'connection_deleted', 'pairing_changed', 'released')),
        primary key (tenant_id, connection_id, subject),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      )`);
    await db.query(
      `create unique index identities_user on identities (tenant_id, user_id, connection_id) where ended_at is null`,
    );
    // Whom a sign-in would bring back, by what they were called.
    await db.query(`create index deleted_users_key on deleted_users (tenant_id, directory_id, external_id)`);
    await db.query(
      `create index deleted_users_name on deleted_users (tenant_id, directory_id, lower(user_name collate "C"))`,
    );
    await db.query(
      `create index deleted_users_email on deleted_users (tenant_id, lower((person ->> 'email') collate "C"))`,
    );
    // What ends somebody's sessions moves it on; a session counts with the one that it began under.
    await db.query(`alter table users add column session_epoch int not null default 0`);
    await db.query(`
      create table sessions (
        tenant_id text collate "C" not null,
        id text collate "C" not null,
        hash bytea not null,
        user_id text collate "C" not null,
        user_epoch int not null default 0,
        connection_id text collate "C" not null,
        subject text collate "C" not null,
        idp_session text collate "C",
        name_id jsonb,
        id_token_sealed text,
        auth_context text,
        ip text,
        user_agent text,
        created_at timestamptz not null default now(),
        seen_at timestamptz not null default now(),
        idle_seconds int not null,
        expires_at timestamptz not null,
        ended_at timestamptz,
        end_reason text,
        primary key (tenant_id, id),
        unique (tenant_id, hash),
        foreign key (tenant_id, connection_id) references connections (tenant_id, id)
      ) with (fillfactor = 80)`);
    await db.query(`create index sessions_user on sessions (tenant_id, user_id, id)`);
    await db.query(`create index sessions_subject on sessions (tenant_id, connection_id, subject)`);
    await db.query(
      `create index sessions_idp on sessions (tenant_id, connection_id, idp_session) where ended_at is null`,
    );
    await db.query(`
      create table session_tokens (
        tenant_id text collate "C" not null,
        hash bytea not null,
        session_id text collate "C" not null,
        kind text not null check (kind in ('code', 'refresh')),
        audience text not null,
        code_challenge text,
        expires_at timestamptz not null,
        used_at timestamptz,
        reused_at timestamptz,
        primary key (tenant_id, hash),
        foreign key (tenant_id, session_id) references sessions (tenant_id, id) on delete cascade
      )`);
    await db.query(`create index session_tokens_session on session_tokens (tenant_id, session_id)`);
    await db.query(`
      create table sign_ins (
        tenant_id text collate "C" not null,
        id text collate "C" not null,
        at timestamptz not null default clock_timestamp(),
        kind text not null check (kind in ('sign-in', 'test', 'logout')),
        connection_id text collate "C",
        outcome text not null check (outcome in ('success', 'refused')),
        reason text,
        detail text,
        account text,
        subject text,
        user_id text collate "C",
        linked_by text,
        session_id text collate "C",
        ip text,
        user_agent text,
        request_id text not null,
        primary key (tenant_id, id, at)
      ) partition by range (at)`);
    await db.query(`create index sign_ins_user on sign_ins (tenant_id, user_id, at)`);
    await db.query(`create index sign_ins_reason on sign_ins (tenant_id, reason, id) where outcome = 'refused'`);
    await db.query(`create table sign_ins_default partition of sign_ins default`);
    // Whom a connection knows, newest first.
    await db.query(`create index identities_newest on identities (tenant_id, connection_id, created_at)`);
    // What a person's history and the list of leavers are read by. A binding that has ended is part of the history.
    await db.query(`create index identities_person on identities (tenant_id, user_id, created_at)`);
    // Byte by byte, like every id that is looked for.
    await db.query(`alter table audit_entries alter column target_id type text collate "C"`);
    await db.query(`create index audit_entries_target on audit_entries (tenant_id, target_type, target_id, entry_id)`);
    await db.query(
      `create index changes_departures on changes (tenant_id, sequence) where kind in ('deactivated', 'deleted')`,
    );
    // How often has been tried what; not worth a line in the write-ahead log. An address is no tenant's.
    await db.query(`
      create unlogged table tries (
        bucket bytea primary key,
        tokens float8 not null,
        at timestamptz not null,
        taken boolean not null
      ) with (fillfactor = 50)`);
    // Keys of the installation: what tokens and SAML messages are signed with. They belong to no tenant.
    await db.query(`
      create table service_keys (
        purpose text not null check (purpose in ('jwt', 'saml')),
        id text collate "C" not null,
        private_key_sealed text not null,
        public_key text not null,
        created_at timestamptz not null default now(),
        active_from timestamptz not null,
        retired_at timestamptz,
        primary key (purpose, id)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table users drop column session_epoch`);
    await db.query(
      `drop index changes_departures, audit_entries_target, deleted_users_key, deleted_users_name, deleted_users_email`,
    );
    await db.query(`alter table audit_entries alter column target_id type text collate "default"`);
    await db.query(`drop table service_keys, tries, sign_ins, session_tokens, sessions, identities, used_messages, idp_logouts,
      sign_in_requests, verified_domains, domains, connection_slugs, connections`);
  }
}
