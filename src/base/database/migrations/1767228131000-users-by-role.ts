import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, removeIndex } from './build-index.js';

/** The users of a role are found without reading all users of the tenant. */
export class UsersByRole1767228131000 implements MigrationInterface {
  name = 'UsersByRole1767228131000';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await buildIndex(db, 'users_role', 'on users (tenant_id, role, id) where role is not null');
  }

  async down(db: QueryRunner): Promise<void> {
    await removeIndex(db, 'users_role');
  }
}
