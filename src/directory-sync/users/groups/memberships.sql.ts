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
