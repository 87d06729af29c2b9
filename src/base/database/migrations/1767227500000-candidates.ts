import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The candidates of a tenant, and what is left of those that were deleted or merged. `metadata` is text as it was sent;
 * `job_opening_id` and `ats_priority` are read from it once, when it is written. `sequence` counts the events of the
 * record. No value is checked here: one statement writes the rows, and PostgreSQL reads a check from its text at every
 * execution.
 */
export class Candidates1767227500000 implements MigrationInterface {
  name = 'Candidates1767227500000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table candidates (
        tenant_id text collate "C" not null,
        id text collate "C" not null,
        external_id text collate "C" not null,
        email text not null,
        email_key text collate "C" not null,
        first_name text not null,
        last_name text not null,
        job_title text,
        job_title_set boolean not null,
        metadata json not null,
        job_opening_id text collate "C",
        ats_priority text collate "C",
        sequence int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id)
      ) with (fillfactor = 85)`);
    await db.query(`create unique index candidates_external_id on candidates (tenant_id, external_id)`);
    // The id follows in each index of a filter, because lists are in the order of ids.
    await db.query(`create index candidates_email on candidates (tenant_id, email_key, id)`);
    await db.query(`create index candidates_updated on candidates (tenant_id, updated_at)`);
    await db.query(
      `create index candidates_priority on candidates (tenant_id, ats_priority, id) where ats_priority is not null`,
    );
    // Those whose title follows an opening.
    await db.query(`
      create index candidates_titled_by on candidates (tenant_id, job_opening_id, id)
      where job_opening_id is not null and not job_title_set`);
    await db.query(`
      create table candidate_tombstones (
        tenant_id text collate "C" not null,
        candidate_id text collate "C" not null,
        external_id text collate "C" not null,
        merged_into text collate "C",
        sequence int not null,
        gone_at timestamptz not null,
        primary key (tenant_id, candidate_id)
      )`);
    await db.query(
      `create index candidate_tombstones_external_id on candidate_tombstones (tenant_id, external_id, gone_at)`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table candidate_tombstones, candidates`);
  }
}
