import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the user of a session authenticated, as the IdP states it, and whether the IdP was asked for a new authentication. */
export class Authentications1767228116000 implements MigrationInterface {
  name = 'Authentications1767228116000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table sessions add column authenticated_at timestamptz`);
    await db.query(`alter table console_sessions add column authenticated_at timestamptz`);
    await db.query(`alter table sign_in_requests add column asked_anew boolean not null default false`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table sign_in_requests drop column asked_anew`);
    await db.query(`alter table console_sessions drop column authenticated_at`);
    await db.query(`alter table sessions drop column authenticated_at`);
  }
}
