import type { MigrationInterface, QueryRunner } from 'typeorm';

const MADE = `(like %I including defaults including constraints)', part, p_table);`;
const WITH_ROOM = `${MADE}
        if p_table = 'ats_events' then execute format('alter table %I set (fillfactor = 50)', part); end if;`;

/**
 * Inbound events that wait or have failed get a narrow table of their own. An index on the state of `ats_events` made each
 * verdict a copy of the whole row, with an entry in every index; now the row changes within its page, and half of each page
 * is left for that. The verdict of 10 000 events wrote 27 MB of log, and writes 1.6 MB.
 *
 * The months that are there keep their rows: their new size of a page counts for rows to come.
 */
export class AtsOpenEvents1767227536000 implements MigrationInterface {
  name = 'AtsOpenEvents1767227536000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table ats_open_events (
        tenant_id text collate "C" not null,
        connection_id text collate "C" not null,
        failed boolean not null,
        id text collate "C" not null,
        at timestamptz not null,
        bytes int not null,
        primary key (tenant_id, connection_id, failed, id)
      )`);
    // Both states have an index yet: the rows of a large table are not read through.
    for (const state of ['waiting', 'failed']) {
      await db.query(`
        insert into ats_open_events (tenant_id, connection_id, failed, id, at, bytes)
        select tenant_id, connection_id, ${String(state === 'failed')}, id, at, coalesce(octet_length(body), 0) from ats_events where state = '${state}'`);
    }
    await db.query(`drop index ats_events_waiting, ats_events_failed`);
    await this.fill(db, 'set (fillfactor = 50)');
    await this.monthsOf(db, MADE, WITH_ROOM);
  }

  async down(db: QueryRunner): Promise<void> {
    await this.monthsOf(db, WITH_ROOM, MADE);
    await this.fill(db, 'reset (fillfactor)');
    for (const state of ['waiting', 'failed']) {
      await db.query(
        `create index ats_events_${state} on ats_events (tenant_id, connection_id, id) where state = '${state}'`,
      );
    }
    await db.query(`drop table ats_open_events`);
  }

  private async fill(db: QueryRunner, change: string): Promise<void> {
    const months = (await db.query(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'ats_events'::regclass`,
    )) as { name: string }[];
    for (const { name } of months) await db.query(`alter table ${name} ${change}`);
  }

  /** The function of the owner that makes months gives those of events their room. */
  private async monthsOf(db: QueryRunner, before: string, after: string): Promise<void> {
    const [{ source }] = (await db.query(
      `select pg_get_functiondef(p.oid) as source from pg_proc p
       where p.pronamespace = current_schema()::regnamespace and p.proname = 'make_month'`,
    )) as [{ source: string }];
    if (!source.includes(before)) throw new Error('make_month is not as this version knows it');
    await db.query(source.replace(before, () => after));
  }
}
