import type { SqlRunner } from '../../../base/database/database.js';
import type { WriteStatement } from '../../../base/database/write-statement.js';
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

/** Adds a user to those of the groups that are still there, and moves their versions. */
export async function joinGroups(
  tx: SqlRunner,
  tenantId: string,
  userId: string,
  groupIds: readonly string[],
): Promise<void> {
  if (groupIds.length === 0) return;
  await tx.query(
    `with locked as (select id from groups where tenant_id = $1 and id = any($3::text[]) order by id for no key update),
     added as (insert into group_members (tenant_id, group_id, member_id, kind)
       select $1, id, $2, 'User' from locked on conflict do nothing returning group_id)
     update groups g set version = g.version + 1, updated_at = greatest(date_trunc('milliseconds', now()), g.updated_at)
     where g.tenant_id = $1 and g.id in (select group_id from added)`,
    [tenantId, userId, groupIds],
  );
}
