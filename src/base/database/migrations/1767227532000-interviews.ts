import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Interviews and the versions of their scorecards. `content` is read and written as a whole, so it has no columns of its
 * own. Tables are empty, so that indexes need no time.
 */
export class Interviews1767227532000 implements MigrationInterface {
  name = 'Interviews1767227532000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table interviews (
        tenant_id text collate "C" not null,
        id text collate "C" not null,
        candidate_id text collate "C" not null,
        job_id text collate "C",
        state text collate "C" not null,
        starts_at timestamptz not null,
        ends_at timestamptz not null,
        time_zone text,
        interviewers text[] not null,
        meeting_url text,
        sequence int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id)
      ) with (fillfactor = 85)`);
    // The id follows in each index of a filter, because lists are in the order of ids.
    await db.query(`create index interviews_candidate on interviews (tenant_id, candidate_id, id)`);
    await db.query(`create index interviews_state on interviews (tenant_id, state, id)`);
    await db.query(`create index interviews_job on interviews (tenant_id, job_id, id) where job_id is not null`);
    await db.query(`create index interviews_updated on interviews (tenant_id, updated_at)`);
    await db.query(`
      create table scorecards (
        tenant_id text collate "C" not null,
        interview_id text collate "C" not null,
        version int not null,
        content json not null,
        created_at timestamptz not null,
        primary key (tenant_id, interview_id, version)
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table scorecards, interviews`);
  }
}
