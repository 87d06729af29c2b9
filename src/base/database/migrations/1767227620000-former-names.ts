import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A tenant keeps its former name and when it changed: pages on which other companies approve something show both. */
export class FormerNames1767227620000 implements MigrationInterface {
  name = 'FormerNames1767227620000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table tenants add column former_name text, add column name_changed_at timestamptz`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table tenants drop column former_name, drop column name_changed_at`);
  }
}
