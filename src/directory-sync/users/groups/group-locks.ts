import type { SqlRunner } from '../../../base/database/database.js';
import { GROUP_COLUMNS, type GroupRow } from './group.row.js';

// Each transaction that locks several rows takes them in one order: users by id, groups by id, memberships. Two such
// transactions cannot deadlock.

/** Locks users until the end of the transaction. A locked user can be changed, but not deleted. */
async function lockUsersForMembership(tx: SqlRunner, tenantId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `select count(*) from (select 1 from users where tenant_id = $1 and id = any($2::text[]) order by id for key share) x`,
    [tenantId, ids],
  );
}

/** Locks the groups of a user whose row is locked: until the commit no membership of the user can be written. */
export async function lockGroupsOf(tx: SqlRunner, tenantId: string, userId: string): Promise<void> {
  await tx.query(
    `select count(*) from (select 1 from groups where tenant_id = $1 and id in (
       select group_id from group_members where tenant_id = $1 and member_id = $2) order by id for no key update) x`,
    [tenantId, userId],
  );
}

/** The transaction found more rows to lock. It is rolled back and begins again, like a serialisation failure. */
class LocksIncomplete extends Error {
  readonly code = '40001';
}

/**
 * Locks the users among the added members, and then the group with the groups among them, to the end of the
 * transaction.
 */
export async function lockGroup(
  tx: SqlRunner,
  tenantId: string,
  directoryId: string,
  id: string,
  memberIds: readonly string[],
): Promise<GroupRow | undefined> {
  const { users, groups } = byKind(memberIds);
  await lockUsersForMembership(tx, tenantId, users);
  const { rows } = await tx.query<GroupRow>(
    `select ${GROUP_COLUMNS}, null as members from groups g
     where g.tenant_id = $1 and g.directory_id = $2 and g.id = any($3::text[]) order by g.id for no key update`,
    [tenantId, directoryId, [id, ...groups]],
  );
  return rows.find((row) => row.id === id);
}

/**
 * Locks a group that is to be deleted, and the groups that have it as a member.
 *
 * @throws {LocksIncomplete} when it became a member of another group; the transaction is tried again
 */
export async function lockForRemoval(
  tx: SqlRunner,
  tenantId: string,
  directoryId: string,
  id: string,
): Promise<GroupRow | undefined> {
  // An array, because "or" would read all groups of the directory.
  const ids = `array(select $3::text union all select group_id from group_members where tenant_id = $1 and member_id = $3)`;
  const { rows } = await tx.query<GroupRow>(
    `select ${GROUP_COLUMNS}, null as members from groups g
     where g.tenant_id = $1 and g.directory_id = $2 and g.id = any(${ids}) order by g.id for update`,
    [tenantId, directoryId, id],
  );
  const { rows: unlocked } = await tx.query(
    `select group_id from group_members where tenant_id = $1 and member_id = $2 and group_id <> all($3::text[]) limit 1`,
    [tenantId, id, rows.map((row) => row.id)],
  );
  if (unlocked.length > 0) throw new LocksIncomplete();
  return rows.find((row) => row.id === id);
}

/** Returns the ids of all members of a locked group. */
export async function memberIdsOf(tx: SqlRunner, tenantId: string, id: string): Promise<string[]> {
  const { rows } = await tx.query<{ member_id: string }>(
    `select member_id from group_members where tenant_id = $1 and group_id = $2`,
    [tenantId, id],
  );
  return rows.map((row) => row.member_id);
}

/** Returns whether an id is that of a group. Ids of users and unknown ids are not. */
export function isGroupId(id: string): boolean {
  return id.startsWith('grp_');
}

function byKind(ids: readonly string[]): { users: string[]; groups: string[] } {
  return { users: ids.filter((id) => !isGroupId(id)), groups: ids.filter(isGroupId) };
}
