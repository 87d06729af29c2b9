import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The further `SessionIndex` values of a SAML session whose assertion has several AuthnStatements. */
export class OtherIdpSessions1767227561000 implements MigrationInterface {
  name = 'OtherIdpSessions1767227561000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table sessions add column other_idp_sessions text[] collate "C"`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table sessions drop column other_idp_sessions`);
  }
}
