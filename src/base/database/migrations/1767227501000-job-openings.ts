import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The job openings of a tenant, and the title that a candidate takes from one. The function waits for a rename that is
 * being written, and holds off the next one until the candidate is committed. It is volatile, so that it reads with a new
 * snapshot after it has waited; within one statement a plain subselect would read the old title.
 */
export class JobOpenings1767227501000 implements MigrationInterface {
  name = 'JobOpenings1767227501000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table job_openings (
        tenant_id text collate "C" not null,
        id text collate "C" not null,
        external_id text collate "C" not null,
        ats text collate "C",
        ats_connection_id text collate "C",
        title text not null,
        status text not null,
        department text,
        location text,
        employment_type text,
        url text,
        opened_at timestamptz,
        closed_at timestamptz,
        sequence int not null,
        created_at timestamptz not null,
        updated_at timestamptz not null,
        primary key (tenant_id, id)
      ) with (fillfactor = 85)`);
    await db.query(`create unique index job_openings_external_id on job_openings (tenant_id, external_id)`);
    await db.query(`create index job_openings_status on job_openings (tenant_id, status, id)`);
    await db.query(`create index job_openings_ats on job_openings (tenant_id, ats, id) where ats is not null`);
    await db.query(`create index job_openings_updated on job_openings (tenant_id, updated_at)`);
    await db.query(`
      create function opening_title(p_tenant text, p_name text) returns text language plpgsql volatile as $$
      begin
        perform pg_advisory_xact_lock_shared(hashtextextended(p_tenant || ' opening ' || p_name, 0));
        return coalesce(
          (select o.title from job_openings o where o.tenant_id = p_tenant and o.external_id = p_name),
          (select o.title from job_openings o where o.tenant_id = p_tenant and o.id = p_name));
      end $$`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop function opening_title(text, text)`);
    await db.query(`drop table job_openings`);
  }
}
