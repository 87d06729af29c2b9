import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, removeIndex } from './build-index.js';

/**
 * Two groups of a directory may have one name: a group that is renamed can get the name of another one, so that names can
 * swap. `name_twin` is empty while a group has the name of its creation, else its own id. So two groups are still not
 * created under one name at the same time.
 */
export class GroupNames1767227550000 implements MigrationInterface {
  /** The index is built while the table is written. */
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    await db.query(`alter table groups add column if not exists name_twin text collate "C" not null default ''`);
    const columns = '(tenant_id, directory_id, display_name_key, name_twin)';
    await buildIndex(db, 'groups_name', `on groups ${columns}`, true);
    await removeIndex(db, 'groups_display_name');
  }

  async down(db: QueryRunner): Promise<void> {
    await buildIndex(db, 'groups_display_name', 'on groups (tenant_id, directory_id, display_name_key)', true);
    await removeIndex(db, 'groups_name');
    await db.query(`alter table groups drop column if exists name_twin`);
  }
}
