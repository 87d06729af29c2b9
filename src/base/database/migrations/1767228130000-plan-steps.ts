import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The plan of a preview has role, status, seat and right of administration of each user, now and then. */
export class PlanSteps1767228130000 implements MigrationInterface {
  name = 'PlanSteps1767228130000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table preview_plan_users add column if not exists steps jsonb;
      alter table preview_plan_users add column if not exists loses_console boolean not null default false;
      create index if not exists preview_plan_users_console
        on preview_plan_users (tenant_id, directory_id, made_at, user_id) where loses_console;`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table preview_plan_users drop column steps, drop column loses_console`);
  }
}
