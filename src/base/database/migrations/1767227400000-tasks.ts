import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Background work is called a task; a job is a job opening. Failures in a row, the first batch's time and the directory
 * become columns, and a task can be cancelled. The view keeps processes of the version before working while they are
 * replaced one by one; tasks of the new kinds of columns are readable through it.
 */
export class Tasks1767227400000 implements MigrationInterface {
  name = 'Tasks1767227400000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table jobs rename to tasks`);
    await db.query(`alter index jobs_open rename to tasks_open`);
    await db.query(`alter index jobs_pkey rename to tasks_pkey`);
    await db.query(`
      alter table tasks
        add column failures int not null default 0,
        add column started_at timestamptz,
        add column directory_id text collate "C",
        drop constraint jobs_state_check,
        add constraint tasks_state check (state in ('waiting', 'running', 'done', 'failed', 'cancelled'))`);
    await db.query(`update tasks set directory_id = payload ->> 'directory_id' where payload ? 'directory_id'`);
    await db.query(
      `create index tasks_of_directory on tasks (tenant_id, directory_id, id) where directory_id is not null`,
    );
    await db.query(`
      create view jobs as select tenant_id, id, kind, state, payload, done, total, error, lease_until, created_by,
        created_at, finished_at, result from tasks`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop view jobs`);
    await db.query(`drop index tasks_of_directory`);
    await db.query(`update tasks set state = 'failed', error = 'cancelled' where state = 'cancelled'`);
    await db.query(`
      alter table tasks
        drop column failures, drop column started_at, drop column directory_id, drop constraint tasks_state,
        add constraint jobs_state_check check (state in ('waiting', 'running', 'done', 'failed'))`);
    await db.query(`alter index tasks_pkey rename to jobs_pkey`);
    await db.query(`alter index tasks_open rename to jobs_open`);
    await db.query(`alter table tasks rename to jobs`);
  }
}
