import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts of what a destination took, by minute: the rate that `GET /status` shows. */
export class DeliveredMinutes1767227981000 implements MigrationInterface {
  name = 'DeliveredMinutes1767227981000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table delivered_minutes (
        tenant_id text collate "C" not null,
        channel text collate "C" not null,
        destination text collate "C" not null,
        minute timestamptz not null,
        delivered int not null,
        primary key (tenant_id, channel, destination, minute)
      ) with (fillfactor = 50)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table delivered_minutes`);
  }
}
