import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, removeIndex } from './build-index.js';

/** Each status counts the interviews whose plan the engine did not take; there are few among many. */
export class InterviewsNotTaken1767228123001 implements MigrationInterface {
  name = 'InterviewsNotTaken1767228123001';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    const where = `state = 'scheduled' and meeting_detail is not null and meeting_state <> 'waiting'`;
    await buildIndex(db, 'interviews_not_taken', `on interviews (tenant_id) where ${where}`);
  }

  async down(db: QueryRunner): Promise<void> {
    await removeIndex(db, 'interviews_not_taken');
  }
}
