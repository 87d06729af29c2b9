import type { SqlRunner } from '../../../base/database/database.js';

// `due`: awaited members that exist now. The rows move from one table to the other.
const JOIN = `
  added as (insert into group_members (tenant_id, group_id, member_id, kind, display)
    select $1, group_id, member_id, 'User', display from due on conflict do nothing returning group_id),
  touched as (update groups g set version = g.version + 1, updated_at = greatest(date_trunc('milliseconds', now()), g.updated_at)
    where g.tenant_id = $1 and g.id in (select group_id from added))
  select group_id from added`;

/** Adds a user that has come into a directory to the groups in which it is awaited; returns these groups. */
export async function joinAwaited(
  db: SqlRunner,
  tenantId: string,
  directoryId: string,
  userId: string,
): Promise<string[]> {
  // The user's row is locked by the write that brings it; the groups are next, by id.
  const { rows: groups } = await db.query<{ id: string }>(
    `select id from groups where tenant_id = $1 and directory_id = $2 and id in (
       select group_id from pending_members where tenant_id = $1 and member_id = $3) order by id for no key update`,
    [tenantId, directoryId, userId],
  );
  if (groups.length === 0) return [];
  const { rows } = await db.query<{ group_id: string }>(
    `with due as (delete from pending_members p using groups g where p.tenant_id = $1 and p.member_id = $3
       and g.tenant_id = $1 and g.id = p.group_id and g.directory_id = $2 returning p.group_id, p.member_id, p.display),
     ${JOIN}`,
    [tenantId, directoryId, userId],
  );
  return rows.map((row) => row.group_id);
}

/** Adds users that have become unmanaged, and so are seen by every directory, to the groups in which they are awaited. */
export async function joinUnmanaged(db: SqlRunner, tenantId: string): Promise<void> {
  await db.query(
    `with due as (delete from pending_members p using users u where p.tenant_id = $1 and u.tenant_id = $1
       and u.id = p.member_id and u.directory_id is null and u.gone_at is null
       returning p.group_id, p.member_id, p.display),
     ${JOIN}`,
    [tenantId],
  );
}
