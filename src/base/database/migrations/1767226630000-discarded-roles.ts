import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The role that rules or the default of a directory give and that an admin has discarded; `''` stands for none. It stays
 * out of force until rules or default give another one.
 */
export class DiscardedRoles1767226630000 implements MigrationInterface {
  name = 'DiscardedRoles1767226630000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table users add column discarded_role text`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table users drop column discarded_role`);
  }
}
