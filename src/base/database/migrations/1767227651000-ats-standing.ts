import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Candidates of an ATS show their stage and what becomes of them there; records have a clock for the person of its own. */
export class AtsStanding1767227651000 implements MigrationInterface {
  name = 'AtsStanding1767227651000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table candidates add column stage text collate "C", add column ats_status text collate "C"`);
    await db.query(`alter table ats_records add column person_at timestamptz`);
    // Rejected ones become known with the next full pass.
    await db.query(`
      update candidates set stage = metadata ->> 'ats_stage', ats_status = 'active' where ats_connection_id is not null`);
    // The id follows in each index of a filter, because lists are in the order of ids.
    await db.query(`create index candidates_stage on candidates (tenant_id, stage, id) where stage is not null`);
    await db.query(
      `create index candidates_ats_status on candidates (tenant_id, ats_status, id) where ats_status is not null`,
    );
    await db.query(
      `create index candidates_opening on candidates (tenant_id, job_opening_id, id) where job_opening_id is not null`,
    );
    await db.query(
      `create index candidates_connection on candidates (tenant_id, ats_connection_id, id)
       where ats_connection_id is not null`,
    );
    for (const column of ['first_name', 'last_name']) {
      await db.query(`create index candidates_${column} on candidates (tenant_id, (lower(${column}) collate "C"), id)`);
    }
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop index candidates_first_name, candidates_last_name`);
    await db.query(`alter table ats_records drop column person_at`);
    await db.query(`alter table candidates drop column stage, drop column ats_status`);
    await db.query(`drop index if exists candidates_opening, candidates_connection`);
  }
}
