import { Injectable } from '@nestjs/common';
import { isOfOneRow, tooManyGathered } from '../../../base/database/database.errors.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { textArray } from '../../../base/database/params.js';
import { LOCK_SECONDS } from '../../../base/database/shares.js';
import { LOCK_PATIENCE } from '../../../base/database/statement-batches.js';
import { Gatherer, WorkAlone } from '../../../base/gatherer.js';
import type { BoundValueFilter } from '../../../protocols/scim/filter/bound.js';
import { toSql } from '../../../protocols/scim/filter/to-sql.js';
import type { Member } from '../../../protocols/scim/patch/group-plan.js';
import { isGroupId } from './group-locks.js';
import { FEW_MEMBERS, GROUP_COLUMNS, type GroupDraft, type GroupRow, MEMBER_COLUMN_MAP } from './group.row.js';
import {
  memberLine,
  FOUND,
  LOCKED,
  LOCKED_AFTER_PEOPLE,
  memberBytes,
  membersColumn,
  NEW,
  TOUCH,
  type MemberPart,
  KEPT_OF_HELD,
} from './memberships.sql.js';

// `$1` is the tenant, `$2` the directory, `$3` the directories whose users are seen. `$4` to `$10` are the columns of
// the groups. `$11` to `$13` are group number, id and name of each member. `$14` is the lock timeout.
// //
// // Users are locked before groups, each by its id: the one order of locks. Each is looked up and locked in one step,
// since the groups have no members yet. Names are inserted in their order: of two statements with the same names one
// waits. The unique index (`name_twin`) does not refuse a name that another group got later, so such a group is looked
// for.
/** Creates groups with their members, and returns few members with the group, so that the group is not read again. */
const INSERT_GROUPS = `with
  patience as materialized (select set_config('lock_timeout', $14, true) as value),
  asked as materialized (select a.* from unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::timestamptz[],
      $10::int[]) with ordinality as a(id, doc, name, name_key, external_id, at, doc_bytes, n)),
  wanted as materialized (select distinct on (v, n) v, n, d from (
      select w.v collate "C" as v, w.n, w.d from patience cross join unnest($11::int[], $12::text[], $13::text[]) as w(n, v, d)
      where patience.value is not null) w
    order by v, n),
  people as materialized (select w.v, w.n, w.d, 'User' as kind from wanted w cross join lateral (
      select 1 from users u where u.tenant_id = $1 and u.id = w.v
        and u.gone_at is null and coalesce(u.directory_id, '') = any($3) for key share) u
    where not starts_with(w.v, 'grp_')),
  groups_within as materialized (select w.v, w.n, w.d, 'Group' as kind from wanted w cross join lateral (
      select 1 from groups c where c.tenant_id = $1 and c.id = w.v and c.directory_id = $2 for no key update) c
    where starts_with(w.v, 'grp_') and (select count(*) from people) >= 0),
  members as materialized (select * from people union all select * from groups_within),
  said as materialized (select m.n, count(*) as many, sum(160 + coalesce(octet_length(m.d), 0))::float8 as bytes,
      string_agg(${memberLine({ kind: 'm.kind', id: 'm.v', display: 'm.d' })}, chr(10) order by m.v) as lines
    from members m group by m.n),
  made as (insert into groups as g (tenant_id, id, directory_id, doc, display_name, display_name_key, external_id,
      created_at, updated_at, doc_bytes)
    select $1, a.id, $2, a.doc::jsonb, a.name, a.name_key, a.external_id, a.at, a.at, a.doc_bytes from asked a
    where (select count(*) from said) >= 0 and not exists (select 1 from groups o
      where o.tenant_id = $1 and o.directory_id = $2 and o.display_name_key = a.name_key offset 0)
    order by a.name_key collate "C"
    on conflict do nothing returning ${GROUP_COLUMNS}),
  there as materialized (select a.n, a.id from made join asked a on a.id = made.id),
  added as (insert into group_members (tenant_id, group_id, member_id, kind, display)
    select $1, t.id, m.v, m.kind, m.d from there t join members m on m.n = t.n),
  pended as (insert into pending_members (tenant_id, group_id, member_id, display)
    select $1, t.id, w.v, w.d from there t join wanted w on w.n = t.n where (w.n, w.v) not in (select n, v from members))
  select made.*, case when said.many <= ${FEW_MEMBERS} then said.lines end as members,
    case when said.many > ${FEW_MEMBERS} then said.bytes end as members_bytes
  from made join there t on t.id = made.id left join said on said.n = t.n`;

interface NewGroup {
  tenantId: string;
  directoryId: string;
  /** The directories whose users are seen. */
  owners: readonly string[];
  id: string;
  draft: GroupDraft;
  /** An id can occur twice. */
  members: readonly Member[];
  at: Date;
}

/** Bytes of a member beside its name: two thousand members fill a statement. */
const MEMBER_BYTES = 512;

/**
 * Creates groups, those of concurrent requests to one directory in one statement. A group with groups as members is
 * created alone: it waits for their locks.
 */
class GroupCreations {
  private readonly gatherer: Gatherer<NewGroup, GroupRow | undefined>;

  constructor(private readonly db: Database) {
    this.gatherer = new Gatherer<NewGroup, GroupRow | undefined>({
      alone: (group) => this.alone(group),
      together: (groups) => this.together(groups),
      // Two groups of one name never share a statement: each needs its own answer.
      keyOf: ({ draft }) => draft.displayNameKey,
      bytesOf: ({ draft, members }) =>
        members.reduce((sum, { display }) => sum + MEMBER_BYTES + (display?.length ?? 0), draft.document.bytes),
      busy: tooManyGathered,
    });
  }

  make(group: NewGroup): Promise<GroupRow | undefined> {
    const { tenantId, directoryId, owners, members } = group;
    if (members.some(({ value }) => isGroupId(value))) return this.alone(group);
    return this.gatherer.run(JSON.stringify([tenantId, directoryId, owners]), group);
  }

  private async alone(group: NewGroup): Promise<GroupRow | undefined> {
    return (await this.db.query<GroupRow>(INSERT_GROUPS, valuesOf([group], `${LOCK_SECONDS}s`))).rows[0];
  }

  private async together(groups: readonly NewGroup[]): Promise<(GroupRow | undefined)[]> {
    try {
      const { rows } = await this.db.queryOnce<GroupRow>(INSERT_GROUPS, valuesOf(groups, LOCK_PATIENCE));
      const made = new Map(rows.map((row) => [row.id, row]));
      return groups.map(({ id }) => made.get(id));
    } catch (error) {
      if (isOfOneRow(error)) throw new WorkAlone();
      throw error;
    }
  }
}

function valuesOf(groups: readonly NewGroup[], patience: string): unknown[] {
  const { tenantId, directoryId, owners } = groups[0]!;
  const members = groups.flatMap((group, i) =>
    group.members.map(({ value, display }) => ({ n: i + 1, value, display })),
  );
  return [
    tenantId,
    directoryId,
    textArray(owners),
    textArray(groups.map(({ id }) => id)),
    textArray(groups.map(({ draft }) => draft.document.text)),
    textArray(groups.map(({ draft }) => draft.displayName)),
    textArray(groups.map(({ draft }) => draft.displayNameKey)),
    textArray(groups.map(({ draft }) => draft.externalId)),
    groups.map(({ at }) => at),
    groups.map(({ draft }) => draft.document.bytes),
    members.map(({ n }) => n),
    textArray(members.map(({ value }) => value)),
    textArray(members.map(({ display }) => display ?? null)),
    patience,
  ];
}

/** The ids of members that were added or removed. */
export interface MemberMoves {
  moved: string[];
}

/** The SQL of groups. Members are rows: adding one to 100 000 costs as much as adding one to 10. */
@Injectable()
export class GroupsRepository {
  private readonly creations: GroupCreations;

  constructor(private readonly db: Database) {
    this.creations = new GroupCreations(db);
  }

  /** `parts` are the attributes that are shown of each member; null when the members are not read. */
  async read(
    tenantId: string,
    directoryId: string,
    id: string,
    parts: readonly MemberPart[] | null,
  ): Promise<GroupRow | undefined> {
    const members =
      parts === null
        ? 'null as members'
        : `case when n.few then ${membersColumn('g.id', parts)} end as members,
           case when not n.few then (select sum(x.bytes)::float8 from (${memberBytes('g.id')}) x) end as members_bytes`;
    const few = `cross join lateral (select count(*) <= ${FEW_MEMBERS} as few from (
      select 1 from group_members m where m.tenant_id = $1 and m.group_id = g.id limit ${FEW_MEMBERS + 1}) x) n`;
    const { rows } = await this.db.query<GroupRow>(
      `select ${GROUP_COLUMNS}, ${members} from groups g ${parts === null ? '' : few}
       where g.tenant_id = $1 and g.directory_id = $2 and g.id = $3`,
      [tenantId, directoryId, id],
    );
    return rows[0];
  }

  /** Returns the lines of all members, see `membersColumn`; null without members. */
  async members(tenantId: string, id: string, parts: readonly MemberPart[]): Promise<string | null> {
    const { rows } = await this.db.query<{ members: string | null }>(
      `select ${membersColumn('$2', parts)} as members`,
      [tenantId, id],
    );
    return rows[0]!.members;
  }

  /**
   * Inserts a group with its first members. Unknown ids become pending members. Returns undefined when another group of
   * the directory has the name.
   */
  insert(group: NewGroup): Promise<GroupRow | undefined> {
    return this.creations.make(group);
  }

  /**
   * Writes the attributes of a locked group. Another group may have the name: `name_twin` distinguishes the two in the
   * index.
   */
  async update(tx: SqlRunner, tenantId: string, directoryId: string, id: string, draft: GroupDraft): Promise<void> {
    await tx.query(
      `update groups g set doc = $4::jsonb, display_name = $5, display_name_key = $6, external_id = $7, doc_bytes = $8,
         name_twin = case when g.display_name_key = $6 then g.name_twin else g.id end,
         version = g.version + 1, updated_at = greatest(date_trunc('milliseconds', now()), g.updated_at)
       where g.tenant_id = $1 and g.id = $2 and g.directory_id = $3`,
      [
        tenantId,
        id,
        directoryId,
        draft.document.text,
        draft.displayName,
        draft.displayNameKey,
        draft.externalId,
        draft.document.bytes,
      ],
    );
  }

  /**
   * Adds members. Present members stay unchanged; unknown ids become pending members. Returns null when the group does
   * not exist.
   */
  async addMembers(
    tenantId: string,
    directoryId: string,
    owners: string[],
    id: string,
    members: readonly Member[],
    db: SqlRunner = this.db,
  ): Promise<MemberMoves | null> {
    const { rows } = await db.query<{ moved: string[]; there: boolean }>(
      `with ${FOUND('$6')}, ${NEW}, ${LOCKED_AFTER_PEOPLE},
       added as (insert into group_members (tenant_id, group_id, member_id, kind, display)
         select $1, locked.id, new.v, new.kind, new.d from locked cross join new
         on conflict (tenant_id, group_id, member_id) do nothing returning member_id),
       pended as (insert into pending_members (tenant_id, group_id, member_id, display)
         select $1, locked.id, w.v, w.d from locked cross join wanted w where w.v not in (select v from found)
         on conflict do nothing),
       ${TOUCH('added')}
       select coalesce((select array_agg(member_id) from added), '{}') as moved, exists (select 1 from locked) as there`,
      [tenantId, id, directoryId, members.map((m) => m.value), members.map((m) => m.display ?? null), owners],
    );
    return rows[0]!.there ? { moved: rows[0]!.moved } : null;
  }

  /** Removes members; other ids have no effect. Returns null when the group does not exist. */
  async removeMembers(
    tenantId: string,
    directoryId: string,
    id: string,
    values: readonly string[],
    db: SqlRunner = this.db,
  ): Promise<MemberMoves | null> {
    const { rows } = await db.query<{ moved: string[]; there: boolean }>(
      `with ${LOCKED},
       gone as (delete from group_members m using locked
         where m.tenant_id = $1 and m.group_id = locked.id and m.member_id = any($4::text[]) returning m.member_id),
       unpended as (delete from pending_members p using locked
         where p.tenant_id = $1 and p.group_id = locked.id and p.member_id = any($4::text[])),
       ${KEPT_OF_HELD},
       ${TOUCH('gone')}
       select coalesce((select array_agg(member_id) from gone), '{}') as moved, exists (select 1 from locked) as there`,
      [tenantId, id, directoryId, values],
    );
    return rows[0]!.there ? { moved: rows[0]!.moved } : null;
  }

  async removeWhere(
    tx: SqlRunner,
    tenantId: string,
    directoryId: string,
    id: string,
    condition: BoundValueFilter,
  ): Promise<MemberMoves> {
    const params: unknown[] = [tenantId, id, directoryId];
    const where = toSql(condition, MEMBER_COLUMN_MAP, params);
    const { rows } = await tx.shaped<{ moved: string[] }>(
      `with ${LOCKED},
       gone as (delete from group_members m using locked
         where m.tenant_id = $1 and m.group_id = locked.id and ${where} returning m.member_id),
       ${KEPT_OF_HELD},
       ${TOUCH('gone')}
       select coalesce((select array_agg(member_id) from gone), '{}') as moved`,
      params,
    );
    return rows[0]!;
  }

  async replaceMembers(
    tx: SqlRunner,
    tenantId: string,
    directoryId: string,
    owners: string[],
    id: string,
    members: readonly Member[],
  ): Promise<MemberMoves> {
    const { rows } = await tx.query<{ moved: string[] }>(
      `with ${FOUND('$6')}, ${NEW}, ${LOCKED_AFTER_PEOPLE},
       gone as (delete from group_members m using locked
         where m.tenant_id = $1 and m.group_id = locked.id and m.member_id not in (select v from found)
         returning m.member_id),
       unpended as (delete from pending_members p using locked
         where p.tenant_id = $1 and p.group_id = locked.id and p.member_id not in (select v from wanted)),
       added as (insert into group_members (tenant_id, group_id, member_id, kind, display)
         select $1, locked.id, new.v, new.kind, new.d from locked cross join new
         on conflict (tenant_id, group_id, member_id) do nothing returning member_id),
       pended as (insert into pending_members (tenant_id, group_id, member_id, display)
         select $1, locked.id, w.v, w.d from locked cross join wanted w where w.v not in (select v from found)
         on conflict do nothing),
       ${KEPT_OF_HELD},
       moves as (select member_id from gone union all select member_id from added),
       ${TOUCH('moves')}
       select coalesce((select array_agg(member_id) from moves), '{}') as moved`,
      [tenantId, id, directoryId, members.map((m) => m.value), members.map((m) => m.display ?? null), owners],
    );
    return rows[0]!;
  }

  /**
   * Removes a group, and keeps its members as users. Returns the former members, or null when the group does not exist.
   */
  async remove(tx: SqlRunner, tenantId: string, directoryId: string, id: string): Promise<MemberMoves | null> {
    const { rows } = await tx.query<{ moved: string[] }>(
      `with gone as (delete from group_members where tenant_id = $1 and group_id = $2 returning member_id),
       asmember as (delete from group_members where tenant_id = $1 and member_id = $2 returning group_id),
       touched as (update groups g set version = g.version + 1, updated_at = greatest(date_trunc('milliseconds', now()), g.updated_at)
         where g.tenant_id = $1 and g.id in (select group_id from asmember) and g.id <> $2)
       select coalesce((select array_agg(member_id) from gone), '{}') as moved`,
      [tenantId, id],
    );
    const { rowCount } = await tx.query(`delete from groups where tenant_id = $1 and directory_id = $2 and id = $3`, [
      tenantId,
      directoryId,
      id,
    ]);
    return rowCount === 1 ? rows[0]! : null;
  }
}
