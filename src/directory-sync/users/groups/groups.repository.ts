import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { BoundValueFilter } from '../../../protocols/scim/filter/bound.js';
import { toSql } from '../../../protocols/scim/filter/to-sql.js';
import type { Member } from '../../../protocols/scim/patch/group-plan.js';
import type { GroupDraft } from './group-draft.js';
import { MEMBER_COLUMN_MAP } from './group.columns.js';
import { FEW_MEMBERS, GROUP_COLUMNS, type GroupRow } from './group.row.js';
import {
  FOUND,
  LOCKED,
  LOCKED_AFTER_PEOPLE,
  memberBytes,
  membersColumn,
  NEW,
  TOUCH,
  type MemberPart,
} from './group-members.sql.js';
import { KEPT_OF_HELD } from './memberships.sql.js';
import { GroupCreations, type NewGroup } from './group-creations.js';

/** What a change of members did: the ids that came and went. */
export interface MemberMoves {
  moved: string[];
}

/** The SQL of groups. Members are rows: adding one to a hundred thousand costs what adding one to ten costs. */
@Injectable()
export class GroupsRepository {
  private readonly creations: GroupCreations;

  constructor(private readonly db: Database) {
    this.creations = new GroupCreations(db);
  }

  /**
   * Returns a group, or undefined.
   *
   * @param parts the attributes that are shown of each member; null: the members are not read
   */
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

  /** The lines of all members of a group, see `membersColumn`; null: none. */
  async members(tenantId: string, id: string, parts: readonly MemberPart[]): Promise<string | null> {
    const { rows } = await this.db.query<{ members: string | null }>(
      `select ${membersColumn('$2', parts)} as members`,
      [tenantId, id],
    );
    return rows[0]!.members;
  }

  /**
   * Inserts a group with its first members; the order of the locks is that of every write. Ids of no user wait as pending.
   * Undefined: another group of the directory has the name.
   */
  insert(group: NewGroup): Promise<GroupRow | undefined> {
    return this.creations.make(group);
  }

  /**
   * Writes the attributes of a group that is locked. The name may be that of another group: `name_twin` keeps the two apart
   * in the unique index.
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

  /** Adds members. Present members stay as they are; ids of no user wait as pending. Null: there is no such group. */
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

  /** Takes members out by their ids. Who is none is no error. Null: no such group. */
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

  /** Takes out the members for which a condition holds. */
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

  /** Makes the members exactly these: only what differs is written. */
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

  /** Removes a group; its members stay people. Answers who they were, or null if there is no such group. */
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
