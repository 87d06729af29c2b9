import type { MigrationInterface, QueryRunner } from 'typeorm';

const MONTHLY = `('attempts', 'sign_ins', 'events')`;

/**
 * Events of tenants, in monthly partitions, and the thresholds that have been passed: an event of a threshold is recorded
 * once, whatever its partition. The index finds the tenants whose seats are counted under a lock.
 */
export class Events1767227410000 implements MigrationInterface {
  name = 'Events1767227410000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table events (
        tenant_id text collate "C" not null references tenants (id),
        id text collate "C" not null,
        at timestamptz not null default now(),
        event text not null,
        data jsonb not null,
        primary key (tenant_id, id, at)
      ) partition by range (at)`);
    await db.query(`create table events_default partition of events default`);
    await db.query(`
      create table event_thresholds (
        tenant_id text collate "C" not null references tenants (id),
        threshold text collate "C" not null,
        passed_at timestamptz not null default now(),
        primary key (tenant_id, threshold)
      )`);
    await this.monthsOf(db, MONTHLY);
    await db.query(`create index seat_limits_counting on seat_limits (tenant_id) where mode = 'exact'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await this.monthsOf(db, `('attempts', 'sign_ins')`);
    await db.query(`drop index seat_limits_counting`);
    await db.query(`drop table events, event_thresholds`);
  }

  /** The functions of the owner that make and drop months know their tables by name. */
  private async monthsOf(db: QueryRunner, tables: string): Promise<void> {
    const sources = (await db.query(
      `select pg_get_functiondef(p.oid) as source from pg_proc p
       where p.pronamespace = current_schema()::regnamespace and p.proname in ('make_month', 'drop_month')`,
    )) as { source: string }[];
    for (const { source } of sources) await db.query(source.replace(/\('attempts', [^)]*\)/, tables));
  }
}
