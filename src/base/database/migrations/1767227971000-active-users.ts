import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, removeIndex } from './build-index.js';

const OF_DIRECTORY = `where status = 'active' and directory_id is not null`;

/** The active users of a directory are also found in the order of their ids. */
export class ActiveUsers1767227971000 implements MigrationInterface {
  name = 'ActiveUsers1767227971000';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await buildIndex(db, 'users_active', `on users (tenant_id, directory_id, id) ${OF_DIRECTORY}`);
    await removeIndex(db, 'users_in_force');
  }

  async down(db: QueryRunner): Promise<void> {
    await buildIndex(db, 'users_in_force', `on users (tenant_id, directory_id) ${OF_DIRECTORY}`);
    await removeIndex(db, 'users_active');
  }
}
