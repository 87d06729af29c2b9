import type { MigrationInterface, QueryRunner } from 'typeorm';

const BEFORE = `('attempts', 'sign_ins', 'events')`;
const AFTER = `('attempts', 'sign_ins', 'events', 'ats_events', 'ats_event_keys')`;
const MONTHLY = ['ats_events', 'ats_event_keys'];

/**
 * What comes in from ATSs: raw events, the records that they are about, and the passes of polls. Events and their keys
 * stand in monthly partitions, so that their retention deletes no rows. `ats_event_keys.at` is the first moment of a month:
 * the key is unique in it, and the month before is looked at as well.
 */
export class AtsInbound1767227531000 implements MigrationInterface {
  name = 'AtsInbound1767227531000';

  async up(db: QueryRunner): Promise<void> {
    await this.events(db);
    await this.records(db);
    await this.syncs(db);
    await db.query(`alter table candidates add column ats_connection_id text collate "C", add column ats_keys text[]`);
    await this.monthsOf(db, BEFORE, AFTER);
    for (const table of MONTHLY) {
      for (const month of ['now()', `now() + interval '1 month'`]) {
        await db.query(`select make_month($1, ((${month}) at time zone 'UTC')::date)`, [table]);
      }
    }
  }

  async down(db: QueryRunner): Promise<void> {
    await this.monthsOf(db, AFTER, BEFORE);
    await db.query(`alter table candidates drop column ats_connection_id, drop column ats_keys`);
    await db.query(`drop table ats_runs, ats_polls, ats_syncs, ats_records, ats_inboxes, ats_event_keys, ats_events`);
  }

  private async events(db: QueryRunner): Promise<void> {
    await db.query(`
      create table ats_events (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        id text collate "C" not null,
        at timestamptz not null,
        name text,
        occurred_at timestamptz,
        kind text collate "C",
        remote_id text collate "C",
        content_type text,
        headers json,
        body bytea,
        state text collate "C" not null,
        reason text,
        detail text,
        tries int not null default 0,
        decided_at timestamptz,
        primary key (tenant_id, connection_id, id, at)
      ) partition by range (at)`);
    await db.query(`create table ats_events_default partition of ats_events default`);
    await db.query(
      `create index ats_events_waiting on ats_events (tenant_id, connection_id, id) where state = 'waiting'`,
    );
    await db.query(
      `create index ats_events_failed on ats_events (tenant_id, connection_id, id) where state = 'failed'`,
    );
    // The id follows: events of a record are listed in its order.
    await db.query(
      `create index ats_events_record on ats_events (tenant_id, connection_id, remote_id, id)
       where remote_id is not null`,
    );
    await db.query(`
      create table ats_event_keys (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        key bytea not null,
        at timestamptz not null,
        primary key (tenant_id, connection_id, key, at)
      ) partition by range (at)`);
    await db.query(`create table ats_event_keys_default partition of ats_event_keys default`);
    await db.query(`
      create table ats_inboxes (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        fence bigint not null default 0,
        lease_until timestamptz,
        not_before timestamptz,
        failures int not null default 0,
        primary key (tenant_id, connection_id)
      ) with (fillfactor = 50)`);
  }

  private async records(db: QueryRunner): Promise<void> {
    await db.query(`
      create table ats_records (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        kind text collate "C" not null,
        remote_id text collate "C" not null,
        record_id text collate "C",
        state text collate "C" not null,
        survivor_id text collate "C",
        changed_at timestamptz not null,
        brought_by text not null,
        seen_in text collate "C",
        primary key (tenant_id, connection_id, kind, remote_id)
      ) with (fillfactor = 85)`);
    await db.query(`create index ats_records_record on ats_records (tenant_id, record_id) where record_id is not null`);
    await db.query(`
      create index ats_records_polled on ats_records (tenant_id, connection_id, changed_at) where brought_by = 'poll'`);
    await db.query(`
      create index ats_records_survivor on ats_records (tenant_id, connection_id, survivor_id)
      where survivor_id is not null`);
  }

  private async syncs(db: QueryRunner): Promise<void> {
    await db.query(`
      create table ats_syncs (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        next_at timestamptz not null,
        full_at timestamptz not null,
        reason text not null,
        fence bigint not null default 0,
        lease_until timestamptz,
        failures int not null default 0,
        pass json,
        missing_told_at timestamptz,
        primary key (tenant_id, connection_id)
      ) with (fillfactor = 50)`);
    await db.query(`create index ats_syncs_next on ats_syncs (next_at)`);
    await db.query(`
      create table ats_polls (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        kind text collate "C" not null,
        since timestamptz,
        sync_token text,
        full_at timestamptz,
        primary key (tenant_id, connection_id, kind)
      )`);
    await db.query(`
      create table ats_runs (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        id text collate "C" not null,
        reason text not null,
        is_full boolean not null,
        state text not null,
        phase text,
        counts json not null,
        left_out json not null,
        error text,
        started_at timestamptz not null,
        finished_at timestamptz,
        primary key (tenant_id, connection_id, id)
      ) with (fillfactor = 70)`);
  }

  /** The functions of the owner that make and drop months know their tables by name. */
  private async monthsOf(db: QueryRunner, before: string, after: string): Promise<void> {
    const sources = (await db.query(
      `select pg_get_functiondef(p.oid) as source from pg_proc p
       where p.pronamespace = current_schema()::regnamespace and p.proname in ('make_month', 'drop_month')`,
    )) as { source: string }[];
    for (const { source } of sources) await db.query(source.replace(before, () => after));
  }
}
