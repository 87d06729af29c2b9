import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The user that a refused request names: it has no id, and is looked for by its name. */
export class RefusedNames1767228124000 implements MigrationInterface {
  name = 'RefusedNames1767228124000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table requests add column user_name text`);
    await db.query(
      `create index requests_user_name on requests (tenant_id, lower(user_name), at) where user_name is not null`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table requests drop column user_name`);
  }
}
