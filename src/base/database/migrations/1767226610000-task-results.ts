import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a task came to, and what it has left out, each with its reason. */
export class TaskResults1767226610000 implements MigrationInterface {
  name = 'TaskResults1767226610000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table jobs add column result jsonb`);
    await db.query(`
      create table task_left_out (
        tenant_id text collate "C" not null,
        task_id text collate "C" not null,
        item_id text collate "C" not null,
        item jsonb not null,
        reason text not null,
        detail text not null,
        at timestamptz not null default now(),
        primary key (tenant_id, task_id, item_id),
        foreign key (tenant_id, task_id) references jobs (tenant_id, id) on delete cascade
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table task_left_out`);
    await db.query(`alter table jobs drop column result`);
  }
}
