import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When the metadata of a connection was last read because a signature was of none of the pinned certificates. */
export class DoubtedMetadata1767226800000 implements MigrationInterface {
  name = 'DoubtedMetadata1767226800000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table connections add column doubted_at timestamptz`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table connections drop column doubted_at`);
  }
}
