import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What is written to ATSs. A row holds ids and the marker; the text is made from the scorecard when it is sent. `sequence`
 * is the order of a candidate's writes, drawn while the candidate is locked. `busy_until` keeps a second process from a
 * call that may still take effect.
 */
export class AtsWrites1767227533000 implements MigrationInterface {
  name = 'AtsWrites1767227533000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table ats_writes (
        tenant_id text collate "C" not null,
        id text collate "C" not null,
        connection_id text collate "C" not null,
        candidate_id text collate "C" not null,
        interview_id text collate "C" not null,
        kind text collate "C" not null,
        action text collate "C" not null,
        revision int not null,
        sequence bigint not null default nextval('change_sequence'),
        state text collate "C" not null,
        target text,
        marker text not null,
        remote_ref text,
        attempts int not null default 0,
        attempted_at timestamptz,
        busy_until timestamptz,
        written_at timestamptz,
        reason text,
        detail text,
        created_at timestamptz not null default now(),
        updated_at timestamptz not null default now(),
        primary key (tenant_id, id)
      ) with (fillfactor = 80)`);
    await db.query(
      `create unique index ats_writes_revision on ats_writes (tenant_id, connection_id, interview_id, kind, revision)`,
    );
    await db.query(`
      create index ats_writes_next on ats_writes (tenant_id, connection_id, candidate_id, sequence)
      where state = 'waiting'`);
    // The id follows in the indexes of lists, which are in the order of ids.
    await db.query(`create index ats_writes_listed on ats_writes (tenant_id, connection_id, id)`);
    await db.query(`create index ats_writes_state on ats_writes (tenant_id, connection_id, state, id)`);
    await db.query(`create index ats_writes_candidate on ats_writes (tenant_id, candidate_id, id)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`delete from lanes where channel = 'ats'`);
    await db.query(`delete from destinations where channel = 'ats'`);
    await db.query(`drop table ats_writes`);
  }
}
