import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Users that a comparison with the platform has met in its list so far. Emptied when the comparison ends. */
export class TaskSeen1767227010000 implements MigrationInterface {
  name = 'TaskSeen1767227010000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      create table task_seen (
        tenant_id text collate "C" not null,
        task_id text collate "C" not null,
        user_id text collate "C" not null,
        primary key (tenant_id, task_id, user_id),
        foreign key (tenant_id, task_id) references jobs (tenant_id, id) on delete cascade
      )`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`drop table task_seen`);
  }
}
