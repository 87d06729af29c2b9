import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, removeIndex } from './build-index.js';

/** Sign-ins find the users whose written names are held by the names in force; there are few among many. */
export class KnownNames1767228132001 implements MigrationInterface {
  name = 'KnownNames1767228132001';
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    const on = (name: string) => `on users (tenant_id, (known_as ->> '${name}')) where known_as is not null`;
    await buildIndex(db, 'users_known_name', on('user_name_key'));
    await buildIndex(db, 'users_known_external_id', on('external_id'));
  }

  async down(db: QueryRunner): Promise<void> {
    await removeIndex(db, 'users_known_name');
    await removeIndex(db, 'users_known_external_id');
  }
}
