import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, removeIndex } from './build-index.js';

/** Finds the users that are held as owner or break-glass account, of which a tenant has at most a few. */
export class ProtectedUsers1767227563000 implements MigrationInterface {
  /** The index is built while the table is written. */
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await buildIndex(db, 'users_protected', `on users (tenant_id, id) where held = 'protected'`);
  }

  async down(db: QueryRunner): Promise<void> {
    await removeIndex(db, 'users_protected');
  }
}
