import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Steps of the numbers of users get a primary key that leads with the tenant, as each table of a tenant has. */
export class KeysOfSteps1767227930000 implements MigrationInterface {
  name = 'KeysOfSteps1767227930000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      alter table population_steps
        add column step_id bigint generated always as identity,
        add primary key (tenant_id, owner, step_id)`);
    await db.query(`drop index population_steps_owner`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`create index population_steps_owner on population_steps (tenant_id, owner)`);
    await db.query(`alter table population_steps drop column step_id`);
  }
}
