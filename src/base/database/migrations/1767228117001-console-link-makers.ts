import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The person who has made a link of the console. */
export class ConsoleLinkMakers1767228117001 implements MigrationInterface {
  name = 'ConsoleLinkMakers1767228117001';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table console_links add column made_by text`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table console_links drop column made_by`);
  }
}
