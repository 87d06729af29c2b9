import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When the last reading of metadata because of an unknown signature has ended (null: it is under way, or there was none),
 * and when the three before it began. `doubted_at` is when the last one began.
 */
export class MetadataDoubts1767227562000 implements MigrationInterface {
  name = 'MetadataDoubts1767227562000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(
      `alter table connections add column doubt_ended_at timestamptz, add column earlier_doubts timestamptz[]`,
    );
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table connections drop column earlier_doubts, drop column doubt_ended_at`);
  }
}
