import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The links by which the operator enters the console, and the sessions of the console. */
export class Console1767227990000 implements MigrationInterface {
  name = 'Console1767227990000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table console_links (
        tenant_id text collate "C" not null,
        id text collate "C" not null,
        hash bytea not null,
        role text collate "C" not null check (role in ('operator', 'admin', 'auditor')),
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        used_at timestamptz,
        primary key (tenant_id, id),
        unique (tenant_id, hash)
      )`);
    await db.query(`
      create table console_sessions (
        tenant_id text collate "C" not null,
        id text collate "C" not null,
        hash bytea not null,
        session_id text collate "C",
        user_id text collate "C",
        link_role text collate "C" check (link_role in ('operator', 'admin', 'auditor')),
        signed_in_at timestamptz not null default now(),
        last_used_at timestamptz not null default now(),
        expires_at timestamptz not null,
        revoked_at timestamptz,
        entered_tenant_id text collate "C",
        entered_until timestamptz,
        primary key (tenant_id, id),
        unique (tenant_id, hash),
        unique (tenant_id, session_id),
        check ((session_id is null) <> (link_role is null) and (session_id is null) = (user_id is null))
      )`);
    await db.query(`
      create trigger console_sessions_told after delete or update of hash, revoked_at, entered_tenant_id, entered_until
      on console_sessions for each row execute function tell_settings()`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table console_sessions`);
    await db.query(`drop table console_links`);
  }
}
