import type { MigrationInterface, QueryRunner } from 'typeorm';

const MANAGER = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User,manager';

/**
 * The manager of a user as a column: its name and address are looked up when the user is read, and filters find users by
 * their manager through an index. The address that a client wrote beside the id gives way to the one that is looked up.
 */
export class Managers1767226950000 implements MigrationInterface {
  name = 'Managers1767226950000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`
      update users set doc = doc #- '{${MANAGER},$ref}', doc_bytes = null
      where doc #> '{${MANAGER}}' ? '$ref' and doc #> '{${MANAGER}}' ? 'value'`);
    await db.query(`
      alter table users add column manager_id text collate "C"
        generated always as (left(doc #>> '{${MANAGER},value}', 512)) stored`);
    await db.query(`create index users_manager on users (tenant_id, manager_id) where manager_id is not null`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table users drop column manager_id`);
  }
}
