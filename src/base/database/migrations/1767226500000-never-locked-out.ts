import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Ways in that need no IdP: break-glass accounts, one-use sign-in links that the operator makes, and sessions without a
 * connection, which such a link begins. `connections.tested_at` is the last time at which a sign-in through the
 * connection succeeded with its present settings.
 */
export class NeverLockedOut1767226500000 implements MigrationInterface {
  name = 'NeverLockedOut1767226500000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table tenants add column break_glass text[] not null default '{}'`);
    await db.query(`alter table connections add column tested_at timestamptz`);
    // A connection that users have signed in through since its last change works. The index `identities_newest` leads
    // with tenant and connection.
    await db.query(`
      update connections c set tested_at = (
        select max(i.last_sign_in_at) from identities i
        where i.tenant_id = c.tenant_id and i.connection_id = c.id and i.last_sign_in_at > c.updated_at)
      where deleted_at is null`);
    await db.query(`alter table sessions alter column connection_id drop not null`);
    // One row for each user: a new link ends the earlier one.
    await db.query(`
      create table owner_sign_in_links (
        tenant_id text collate "C" not null references tenants (id),
        user_id text collate "C" not null,
        hash bytea not null,
        created_at timestamptz not null default now(),
        expires_at timestamptz not null,
        used_at timestamptz,
        primary key (tenant_id, user_id),
        unique (tenant_id, hash)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table owner_sign_in_links`);
    await db.query(`delete from sessions where connection_id is null`);
    await db.query(`alter table sessions alter column connection_id set not null`);
    await db.query(`alter table connections drop column tested_at`);
    await db.query(`alter table tenants drop column break_glass`);
  }
}
