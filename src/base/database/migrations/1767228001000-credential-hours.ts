import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The requests of SCIM tokens and clients, by the hour. */
export class CredentialHours1767228001000 implements MigrationInterface {
  name = 'CredentialHours1767228001000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table credential_hours (
        tenant_id text collate "C" not null,
        credential_id text collate "C" not null,
        hour timestamptz not null,
        requests int not null,
        dialect text collate "C",
        primary key (tenant_id, credential_id, hour)
      )`);
    await db.query(`create index credential_hours_age on credential_hours (tenant_id, hour)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table credential_hours`);
  }
}
