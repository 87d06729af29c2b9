import type { SqlRunner } from '../../../base/database/database.js';
import type { Part, WriteStatement } from '../../../base/database/write-statement.js';
import type { Projection } from '../../../protocols/scim/resource/project.js';
import { lockGroupsOf } from './group-locks.js';

/** Removes the subject from all groups, and increments their versions. Returns the part with the ids of the groups. */
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

/** Removes a user from the groups of one directory, and increments their versions. */
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

/** Stores the memberships that a held departure takes from a user, for a discard. */
export function keepMemberships(statement: WriteStatement, tenantId: string, left: Part): void {
  statement.add(
    (p) => `insert into held_memberships (tenant_id, user_id, group_id)
      select ${p.add(tenantId)}, s.id, x.group_id from subject s cross join ${left.name} x on conflict do nothing`,
  );
}

/** Stores the membership of a group that the subject has already left, for a discard. */
export function keepLeftMembership(statement: WriteStatement, tenantId: string, groupId: string): void {
  statement.add(
    (p) => `insert into held_memberships (tenant_id, user_id, group_id)
      select g.tenant_id, s.id, g.id from subject s cross join groups g
      where g.tenant_id = ${p.add(tenantId)} and g.id = ${p.add(groupId)} and not exists (
        select 1 from group_members m where m.tenant_id = g.tenant_id and m.group_id = g.id and m.member_id = s.id)
      on conflict do nothing`,
  );
}

/** Deletes stored memberships: the departure of the subject is no longer held. */
export function forgetMemberships(statement: WriteStatement, tenantId: string): void {
  statement.add(
    (p) =>
      `delete from held_memberships h using subject where h.tenant_id = ${p.shared(tenantId)} and h.user_id = subject.id`,
    { each: true },
  );
}

/** Stores the membership of those in `gone` whose departure is held. `$1` is the tenant, `$2` the group. */
export const KEPT_OF_HELD = `kept as (insert into held_memberships (tenant_id, user_id, group_id)
  select $1, u.id, $2 from users u where u.tenant_id = $1 and u.held is not null and u.held in ('guard', 'protected')
    and u.id in (select member_id from gone) on conflict do nothing)`;

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

// Parts of the statements that change members. `$1` is the tenant, `$2` the group, `$3` the directory.

// The ids that a request names, without duplicates, in the order of locks.
const WANTED = `
  wanted as materialized (select distinct on (v) v, d from (
    select v collate "C" as v, d from unnest($4::text[], $5::text[]) as w(v, d)) w order by v)`;

// An id is never looked up as anything but an id (CVE-2025-41115).
// // Each id is looked up alone (`lateral`, `offset 0`), in the order of the ids: a plan that was made for a tiny table
// would compare every id with every user of the tenant.
/** The users and groups that the ids of a request name. `owners` is SQL: the directories whose users are seen. */
export const FOUND = (owners: string): string => `
  ${WANTED},
  found as materialized (
    select w.v, w.d, 'User' as kind from wanted w cross join lateral (
      select 1 from users u where u.tenant_id = $1 and u.id = w.v
        and u.gone_at is null and coalesce(u.directory_id, '') = any(${owners}) offset 0) u
    union all
    select w.v, w.d, 'Group' from wanted w cross join lateral (
      select 1 from groups c where c.tenant_id = $1 and c.id = w.v and c.directory_id = $3 and c.id <> $2 offset 0) c)`;

// Locks the users that become members, so that a deleted user does not stay a member. `not in` below keeps the planner,
// which does not know the length of the lists, from comparing each with each.
/** The found ones that are not members yet. */
export const NEW = `
  people as materialized (select f.v, f.d from found f cross join lateral (
      select 1 from users u where u.tenant_id = $1 and u.id = f.v for key share) u
    where f.kind = 'User' and not exists (
      select 1 from group_members m where m.tenant_id = $1 and m.group_id = $2 and m.member_id = f.v offset 0)),
  new as materialized (
    select v, d, 'User' as kind from people union all select v, d, kind from found where kind = 'Group')`;

export const TOUCH = (source: string): string => `
  touched as (update groups g set version = g.version + 1, updated_at = greatest(date_trunc('milliseconds', now()), g.updated_at)
    where g.tenant_id = $1 and g.id = $2 and exists (select 1 from ${source}))`;

// First the users, then the group: the deletion of a user takes its locks in this order, too.
export const LOCKED_AFTER_PEOPLE = `locked as materialized (
  select id from groups where tenant_id = $1 and id = $2 and directory_id = $3 and (select count(*) from people) >= 0
  for no key update)`;

export const LOCKED = `locked as materialized (
  select id from groups where tenant_id = $1 and id = $2 and directory_id = $3 for no key update)`;

const MEMBER_PARTS = ['value', 'type', 'display', '$ref'] as const;
/** A part of a member that an answer can show. */
export type MemberPart = (typeof MEMBER_PARTS)[number];

/** The parts of each member that an answer shows. */
export function memberPartsOf(projection: Projection | null): readonly MemberPart[] {
  const selection = projection?.core.get('members');
  if (projection == null || !(selection instanceof Set)) return MEMBER_PARTS;
  return MEMBER_PARTS.filter((part) => selection.has(part) === (projection.mode === 'only'));
}

/** Returns SQL for the line of one member, from SQL for its columns. See {@link membersColumn}. */
export function memberLine(
  { id, kind, display }: Record<'id' | 'kind' | 'display', string>,
  parts: readonly MemberPart[] = MEMBER_PARTS,
): string {
  const marked = `case ${kind} when 'User' then ${id} else '*' || ${id} end`;
  const named = `case when ${display} is null then '' else ' ' || to_json(${display})::text end`;
  return parts.includes('display') ? `${marked} || ${named}` : marked;
}

/**
 * The members of a group in the order of their ids, one line for each: the id (after a `*` for a group), and after a
 * blank the display name in JSON. The answer is made of the lines. JSON made by the database costs ten times as much.
 */
export const membersColumn = (group: string, parts: readonly MemberPart[] = MEMBER_PARTS): string => {
  return `(select string_agg(x.line, chr(10)) from (
    select ${memberLine({ id: 'm.member_id', kind: 'm.kind', display: 'm.display' }, parts)} as line
    from group_members m where m.tenant_id = $1 and m.group_id = ${group} order by m.member_id) x)`;
};

/**
 * The bytes of each member in an answer, at least 160. The order names the index: a generic plan assumes that all
 * groups are equally large, and would read the members of all groups for a large one.
 */
export const memberBytes = (group: string): string =>
  `select 160 + coalesce(octet_length(m.display), 0) as bytes from group_members m
   where m.tenant_id = $1 and m.group_id = ${group} order by m.member_id`;
