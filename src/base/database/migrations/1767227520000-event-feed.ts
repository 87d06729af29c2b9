import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The feed of events. A change keeps the status of its user, which events show. `event_floors` has the highest sequence of
 * each tenant whose event was dropped with its month. `event_mark` tells the last sequence that was drawn, then takes a
 * transaction id, and then looks which transactions are open: a volatile function has a new snapshot for each step.
 * A directory knows its usual pause between requests, and for which last request its silence was told.
 */
export class EventFeed1767227520000 implements MigrationInterface {
  name = 'EventFeed1767227520000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table changes add column status text`);
    await db.query(`
      alter table directories
        add column usual_pause_seconds int,
        add column pauses int not null default 0,
        add column told_quiet_since timestamptz`);
    await db.query(`
      create table event_floors (
        tenant_id text collate "C" primary key references tenants (id),
        sequence bigint not null
      )`);
    // An insert fails if the month is made while it waits for the default partition: on a new installation that is the
    // first minute.
    for (const table of ['events', 'attempts', 'sign_ins']) {
      await db.query(`select make_month($1, now()::date), make_month($1, (now() + interval '1 month')::date)`, [table]);
    }
    await db.query(`
      create function event_mark(p_known bigint, out last bigint, out own bigint, out oldest bigint, out started text)
        language plpgsql volatile as $$
      begin
        last := coalesce(pg_sequence_last_value('change_sequence'), 0);
        if last <> p_known then own := pg_current_xact_id()::text::bigint; end if;
        oldest := pg_snapshot_xmin(pg_current_snapshot())::text::bigint;
        started := pg_postmaster_start_time()::text;
      end $$`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop function event_mark(bigint)`);
    await db.query(`drop table event_floors`);
    await db.query(`
      alter table directories drop column usual_pause_seconds, drop column pauses, drop column told_quiet_since`);
    await db.query(`alter table changes drop column status`);
  }
}
