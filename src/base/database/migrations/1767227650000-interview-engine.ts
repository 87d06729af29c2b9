import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An interview knows where its meeting link comes from, how far that is, and whether the engine has the interview. */
export class InterviewEngine1767227650000 implements MigrationInterface {
  name = 'InterviewEngine1767227650000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table interviews
        add column meeting_source text,
        add column meeting_state text not null default 'none',
        add column meeting_detail text,
        add column at_engine boolean not null default false`);
    // Every link so far is one of the sandbox: there was no other engine.
    await db.query(`
      update interviews set meeting_source = 'sandbox', meeting_state = 'ready' where meeting_url is not null`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table interviews
        drop column meeting_source, drop column meeting_state, drop column meeting_detail, drop column at_engine`);
  }
}
