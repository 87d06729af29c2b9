import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What arrived at the SCIM door and what was answered: the provisioning log, partitioned by time. */
export class CreateRequests1767225960000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table requests (
        tenant_id text collate "C" not null,
        at timestamptz not null,
        id text collate "C" not null,
        directory_id text collate "C",
        method text not null,
        path text not null,
        status int not null,
        scim_type text,
        detail text,
        duration_ms int not null,
        primary key (tenant_id, at, id)
      ) partition by range (at)`);
    await db.query(`create table requests_default partition of requests default`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table requests`);
  }
}
