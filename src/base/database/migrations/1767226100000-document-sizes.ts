import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The size of each stored document in bytes, so that a page can be cut before its documents are read. Null for a row
 * that was written before: such a size is measured when it is needed. Without a default neither table is rewritten.
 */
export class DocumentSizes1767226100000 implements MigrationInterface {
  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table users add column doc_bytes int`);
    await db.query(`alter table groups add column doc_bytes int`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table groups drop column doc_bytes`);
    await db.query(`alter table users drop column doc_bytes`);
  }
}
