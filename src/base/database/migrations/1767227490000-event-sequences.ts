import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A transaction has its xid before it draws a sequence: whoever knows that all older xids are over knows that no lower
 * sequence is still to come. `case` keeps that order.
 */
const DRAWN = `case when pg_current_xact_id() is not null then nextval('change_sequence') end`;

/**
 * Events get their place among the changes of users, the record that they are about, and data that is kept as it was
 * written: `jsonb` sorts keys and rewrites numbers. A change of a user says whether it was a link. Destinations remember since when they only fail, and attempts which
 * address was dialled and whose fault a failure was.
 */
export class EventSequences1767227490000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table changes
        alter column sequence set default ${DRAWN},
        add column linked boolean not null default false`);
    await db.query(`alter table events add column sequence bigint, add column record text collate "C"`);
    await db.query(`
      update events e set sequence = n.sequence
      from (select o.tenant_id, o.id, nextval('change_sequence') as sequence
            from (select tenant_id, id from events order by at, id) o) n
      where e.tenant_id = n.tenant_id and e.id = n.id`);
    await db.query(`
      alter table events
        drop constraint events_pkey,
        drop column id,
        alter column sequence set default ${DRAWN},
        add primary key (tenant_id, sequence, at),
        alter column data type json using data::json`);
    await db.query(`create index events_record on events (tenant_id, record, sequence) where record is not null`);
    await db.query(`
      alter table destinations
        add column failing_since timestamptz,
        add column failing_stage smallint not null default 0`);
    await db.query(`alter table attempts add column address text, add column fault text`);
  }

  async down(): Promise<void> {
    throw new Error('events cannot get their former ids back: restore a backup');
  }
}
