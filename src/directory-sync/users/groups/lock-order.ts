import type { SqlRunner } from '../../../base/database/database.js';

// Every transaction that locks several rows takes them in one order: users by id, then groups by id, then memberships.
// Two transactions that keep to one order cannot wait for each other, so the database never has to end one of them.

/**
 * Locks the users that a write of a group names, until the end of the transaction. A user with such a lock can be
 * changed, and not be deleted.
 *
 * @param ids ids of users; ids of other things are passed over
 */
export async function lockUsersForMembership(tx: SqlRunner, tenantId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await tx.query(
    `select count(*) from (select 1 from users where tenant_id = $1 and id = any($2::text[]) order by id for key share) x`,
    [tenantId, ids],
  );
}

/** Locks the groups of a user whose row the transaction has locked: no membership of the user can be written meanwhile. */
export async function lockGroupsOf(tx: SqlRunner, tenantId: string, userId: string): Promise<void> {
  await tx.query(
    `select count(*) from (select 1 from groups where tenant_id = $1 and id in (
       select group_id from group_members where tenant_id = $1 and member_id = $2) order by id for no key update) x`,
    [tenantId, userId],
  );
}

/** The transaction has found more to lock than it has locked. It is rolled back and begins again, like a serialisation failure. */
export class LocksIncomplete extends Error {
  readonly code = '40001';
}
