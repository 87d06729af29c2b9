import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A directory gives a role that administers by its `roles` attribute only where an admin has allowed it. Users who have such
 * a role that way lose it at the next write or review, unless the directory is allowed.
 */
export class ConsoleGrants1767227570000 implements MigrationInterface {
  name = 'ConsoleGrants1767227570000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table directories add column may_grant_console boolean not null default false`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table directories drop column may_grant_console`);
  }
}
