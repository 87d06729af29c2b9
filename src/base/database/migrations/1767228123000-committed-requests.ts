import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a request with an Idempotency-Key has committed, for its repetition after a crash. */
export class CommittedRequests1767228123000 implements MigrationInterface {
  name = 'CommittedRequests1767228123000';

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table idempotency_keys add column committed text`);
  }

  async down(db: QueryRunner): Promise<void> {
    await db.query(`alter table idempotency_keys drop column committed`);
  }
}
