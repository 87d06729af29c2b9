import type { SqlRunner } from '../../base/database/database.js';
import type { WriteStatement } from '../../base/database/write-statement.js';
import type { Member } from '../../scim/patch/group-plan.js';
import { FOUND } from './group-members.sql.js';
import { lockGroupsOf } from './lock-order.js';

/** Removes the subject from all groups, and moves their versions. */
export function leaveAllGroups(statement: WriteStatement, tenantId: string): void {
  const left = statement.add(
    (p) => `delete from group_members m using subject s where m.tenant_id = ${p.add(tenantId)} and m.member_id = s.id
      returning m.group_id`,
  );
  statement.add(
    (
      p,
    ) => `update groups g set version = g.version + 1, updated_at = greatest(date_trunc('milliseconds', now()), g.updated_at) from ${left.name} x
      where g.tenant_id = ${p.add(tenantId)} and g.id = x.group_id`,
  );
}

/** Removes a user from the groups of one directory, and moves their versions. */
export async function leaveGroupsOf(
  tx: SqlRunner,
  tenantId: string,
  directoryId: string,
  userId: string,
): Promise<void> {
  // Groups by id before memberships: the one order of locks.
  await lockGroupsOf(tx, tenantId, userId);
  await tx.query(
    `with gone as (delete from group_members m using groups g where m.tenant_id = $1 and m.member_id = $3
       and g.tenant_id = $1 and g.id = m.group_id and g.directory_id = $2 returning m.group_id)
     update groups g set version = g.version + 1, updated_at = greatest(date_trunc('milliseconds', now()), g.updated_at)
     where g.tenant_id = $1 and g.id in (select group_id from gone)`,
    [tenantId, directoryId, userId],
  );
}

/**
 * Gives a group that the transaction has inserted its first members. The version stays the first one. The users and groups
 * are locked already; ids of no user wait as pending.
 *
 * @param owners the directories whose users are seen
 */
export async function fillNewGroup(
  tx: SqlRunner,
  group: { tenantId: string; directoryId: string; id: string },
  owners: string[],
  members: readonly Member[],
): Promise<void> {
  const { tenantId, directoryId, id } = group;
  await tx.query(
    `with ${FOUND('$6')},
     added as (insert into group_members (tenant_id, group_id, member_id, kind, display)
       select $1, $2, f.v, f.kind, f.d from found f)
     insert into pending_members (tenant_id, group_id, member_id, display)
       select $1, $2, w.v, w.d from wanted w where w.v not in (select v from found)`,
    [tenantId, id, directoryId, members.map((m) => m.value), members.map((m) => m.display ?? null), owners],
  );
}
