import type { MigrationInterface, QueryRunner } from 'typeorm';
import { buildIndex, removeIndex } from './build-index.js';

/** Columns of which one follows from the other, by table: a directory, a group, a connection has one tenant. */
const CORRELATED: readonly (readonly [table: string, column: string])[] = [
  ['groups', 'directory_id'],
  ['group_members', 'group_id'],
  ['scim_tokens', 'directory_id'],
  ['sessions', 'connection_id'],
  ['identities', 'connection_id'],
];

/**
 * What plans need beside the indexes.
 *
 * Statistics: the planner multiplies the chances of a tenant and of its directory, and takes one group of 13 000 for each
 * index that begins with both. So it read all groups of a directory to find one by its id.
 *
 * Indexes: of groups, those with an external id alone, so that no other search can choose it. The rooms' background work
 * finds what is due by an index that holds nothing else.
 */
export class Plans1767227440000 implements MigrationInterface {
  /** Indexes are built while the tables are written. */
  transaction = false;

  async up(db: QueryRunner): Promise<void> {
    for (const [table, column] of CORRELATED) {
      await db.query(
        `create statistics if not exists ${table}_${column}_of_tenant (ndistinct, dependencies)
         on tenant_id, ${column} from ${table}`,
      );
    }
    await buildIndex(
      db,
      'groups_with_external_id',
      'on groups (tenant_id, directory_id, external_id) where external_id is not null',
    );
    await removeIndex(db, 'groups_external_id');
    await buildIndex(
      db,
      'users_reconsidered',
      `on users (tenant_id) where seat = 'waiting' or held in ('email_taken', 'external_id_taken', 'superseded')`,
    );
    await buildIndex(db, 'directories_deleted', 'on directories (tenant_id, deleted_at) where deleted_at is not null');
  }

  async down(db: QueryRunner): Promise<void> {
    await removeIndex(db, 'directories_deleted');
    await removeIndex(db, 'users_reconsidered');
    await buildIndex(db, 'groups_external_id', 'on groups (tenant_id, directory_id, external_id)');
    await removeIndex(db, 'groups_with_external_id');
    for (const [table, column] of CORRELATED) await db.query(`drop statistics ${table}_${column}_of_tenant`);
  }
}
