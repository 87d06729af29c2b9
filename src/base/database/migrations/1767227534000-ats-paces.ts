import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The pace of calls to ATSs, one row for each connection. It is written before each call and worth nothing after a
 * crash, so it is not logged: its commits wait for no disk.
 */
export class AtsPaces1767227534000 implements MigrationInterface {
  name = 'AtsPaces1767227534000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create unlogged table ats_paces (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        arrival timestamptz not null,
        paused_until timestamptz,
        primary key (tenant_id, connection_id),
        foreign key (tenant_id, connection_id) references ats_connections (tenant_id, id) on delete cascade
      ) with (fillfactor = 50)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table ats_paces`);
  }
}
