import type { SqlRunner } from '../../../base/database/database.js';
import type { Part, WriteStatement } from '../../../base/database/write-statement.js';
import { lockGroupsOf } from './lock-order.js';

/** Removes the subject from all groups, and moves their versions. Returns the part with the ids of the groups. */
export function leaveAllGroups(statement: WriteStatement, tenantId: string): Part {
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
  return left;
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

/** Keeps the memberships of a user whose departure is held, as far as the departure takes them, for a discard. */
export function keepMemberships(statement: WriteStatement, tenantId: string, left: Part): void {
  statement.add(
    (p) => `insert into held_memberships (tenant_id, user_id, group_id)
      select ${p.add(tenantId)}, s.id, x.group_id from subject s cross join ${left.name} x on conflict do nothing`,
  );
}

/** Keeps the membership of a group that the subject has left already, with the departure that follows from it. */
export function keepLeftMembership(statement: WriteStatement, tenantId: string, groupId: string): void {
  statement.add(
    (p) => `insert into held_memberships (tenant_id, user_id, group_id)
      select g.tenant_id, s.id, g.id from subject s cross join groups g
      where g.tenant_id = ${p.add(tenantId)} and g.id = ${p.add(groupId)} and not exists (
        select 1 from group_members m where m.tenant_id = g.tenant_id and m.group_id = g.id and m.member_id = s.id)
      on conflict do nothing`,
  );
}

/** Forgets the memberships that were kept: the subject is held for its departure no more. */
export function forgetMemberships(statement: WriteStatement, tenantId: string): void {
  statement.add(
    (p) =>
      `delete from held_memberships h using subject where h.tenant_id = ${p.shared(tenantId)} and h.user_id = subject.id`,
    { each: true },
  );
}

/** The members who have left the group `$2` of the tenant `$1`, in `gone`, and whose departure is held: each keeps the membership. */
export const KEPT_OF_HELD = `kept as (insert into held_memberships (tenant_id, user_id, group_id)
  select $1, u.id, $2 from users u where u.tenant_id = $1 and u.held is not null and u.held in ('guard', 'protected')
    and u.id in (select member_id from gone) on conflict do nothing)`;

/** Puts a user back into the groups that a held departure has taken. */
export async function rejoinHeld(tx: SqlRunner, tenantId: string, userId: string): Promise<void> {
  const { rows } = await tx.query<{ id: string }>(
    `select group_id as id from held_memberships where tenant_id = $1 and user_id = $2`,
    [tenantId, userId],
  );
  await joinGroups(
    tx,
    tenantId,
    userId,
    rows.map(({ id }) => id),
  );
}
