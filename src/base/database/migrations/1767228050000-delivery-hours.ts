import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Totals of forwarding by hour, and up to which change they count. */
export class DeliveryHours1767228050000 implements MigrationInterface {
  name = 'DeliveryHours1767228050000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table delivery_hours (
        tenant_id text collate "C" not null,
        channel text collate "C" not null,
        destination text collate "C" not null,
        hour timestamptz not null,
        accepted int not null,
        confirmed int not null,
        failed int not null,
        parked int not null,
        lags int[] not null,
        primary key (tenant_id, channel, destination, hour)
      ) with (fillfactor = 50)`);
    await db.query(`
      create table counted_changes (
        tenant_id text collate "C" primary key references tenants (id),
        sequence bigint not null default 0
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table counted_changes`);
    await db.query(`drop table delivery_hours`);
  }
}
