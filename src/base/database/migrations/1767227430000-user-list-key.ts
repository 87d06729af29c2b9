import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex } from './build-index.js';

/** Tables with a foreign key to `users`; the key itself is `(tenant_id, user_id)`. */
const CHILDREN = ['user_aliases', 'preview_writes'];

/**
 * The primary key of users holds what decides whether a directory sees a user. A list that skips rows reads the index
 * alone. The index is built beside the old one, without a lock that stops writes; then the two are exchanged.
 */
export class UserListKey1767227430000 implements MigrationInterface {
  name = 'UserListKey1767227430000';
  /** An index is built concurrently outside a transaction only. Each step can be repeated after an interruption. */
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await exchangeKey(db, 'users_list_key', `include (directory_id, gone_at)`);
  }

  async down(db: QueryRunner): Promise<void> {
    await exchangeKey(db, 'users_plain_key', '');
  }
}

async function exchangeKey(db: QueryRunner, name: string, included: string): Promise<void> {
  await buildIndex(db, name, `on users (tenant_id, id) ${included}`, true);
  await db.startTransaction();
  try {
    for (const child of CHILDREN) {
      await db.query(`alter table ${child} drop constraint ${child}_tenant_id_user_id_fkey`);
    }
    await db.query(`alter table users drop constraint users_pkey`);
    await db.query(`alter table users add constraint users_pkey primary key using index ${name}`);
    for (const child of CHILDREN) {
      await db.query(`alter table ${child} add constraint ${child}_tenant_id_user_id_fkey
        foreign key (tenant_id, user_id) references users (tenant_id, id) on delete cascade not valid`);
    }
    await db.commitTransaction();
  } catch (error) {
    await db.rollbackTransaction();
    throw error;
  }
  // Valid all the time: the rows were checked by the old keys. The check takes no lock that stops writes.
  for (const child of CHILDREN) {
    await db.query(`alter table ${child} validate constraint ${child}_tenant_id_user_id_fkey`);
  }
}
