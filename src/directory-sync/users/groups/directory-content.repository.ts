import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import type { PageRequest } from '../../../base/http/page.js';
import {
  DirectoryContent,
  type DirectoryCounts,
  type GroupListRow,
  type PendingMemberRow,
} from '../../directories/directory-people.js';
import { populationOf } from '../user-relations.js';
import type { GroupMemberBody } from '../../directories/directories.dto.js';

/** Reads users and groups of a directory for administrators. */
@Injectable()
export class DirectoryContentRepository extends DirectoryContent {
  constructor(private readonly db: Database) {
    super();
  }

  override async counts(tenantId: string, id: string): Promise<DirectoryCounts> {
    const { rows } = await this.db.query<DirectoryCounts>(
      `select
         ${populationOf('= $2')} as users,
         ${populationOf(`= ''`)} as unmanaged,
         (select count(*)::int from groups where tenant_id = $1 and directory_id = $2) as groups,
         (select count(*)::int from pending_members p join groups g on g.tenant_id = p.tenant_id and g.id = p.group_id
          where p.tenant_id = $1 and g.directory_id = $2) as pending_members`,
      [tenantId, id],
    );
    return rows[0]!;
  }

  override async groups(tenantId: string, directoryId: string, page: PageRequest): Promise<GroupListRow[]> {
    const { rows } = await this.db.query<GroupListRow>(
      `select g.id, g.display_name, g.external_id, g.created_at, g.updated_at,
         (select count(*)::int from group_members m where m.tenant_id = g.tenant_id and m.group_id = g.id) as members,
         (select count(*)::int from pending_members p where p.tenant_id = g.tenant_id and p.group_id = g.id)
           as pending_members
       from groups g where g.tenant_id = $1 and g.directory_id = $2 and ($3::text is null or g.id < $3)
       order by g.id desc limit $4`,
      [tenantId, directoryId, page.after, page.limit + 1],
    );
    return rows;
  }

  override async pendingMembers(tenantId: string, directoryId: string, page: PageRequest): Promise<PendingMemberRow[]> {
    const [groupId = null, memberId = null] = page.after?.split(' ', 2) ?? [];
    const { rows } = await this.db.query<PendingMemberRow>(
      `select p.group_id, g.display_name as "group", p.member_id, p.display, p.since
       from pending_members p join groups g on g.tenant_id = p.tenant_id and g.id = p.group_id
       where p.tenant_id = $1 and g.directory_id = $2 and ($3::text is null or (p.group_id, p.member_id) > ($3, $4))
       order by p.group_id, p.member_id limit $5`,
      [tenantId, directoryId, groupId, memberId, page.limit + 1],
    );
    return rows;
  }

  override async hasGroup(tenantId: string, directoryId: string, groupId: string): Promise<boolean> {
    const { rows } = await this.db.query(
      `select 1 from groups where tenant_id = $1 and directory_id = $2 and id = $3`,
      [tenantId, directoryId, groupId],
    );
    return rows.length > 0;
  }

  // Each user is looked up alone (`lateral`, `offset 0`): a join could read all users of the tenant for one page.
  override async groupMembers(tenantId: string, groupId: string, page: PageRequest): Promise<GroupMemberBody[]> {
    const { rows } = await this.db.query<GroupMemberBody>(
      `select m.member_id as user_id, u.user_name, u.email, u.status
       from group_members m cross join lateral (
         select u.user_name, u.email, u.status from users u
         where u.tenant_id = $1 and u.id = m.member_id and u.gone_at is null offset 0) u
       where m.tenant_id = $1 and m.group_id = $2 and m.kind = 'User' and m.member_id > $3
       order by m.member_id limit $4`,
      [tenantId, groupId, page.after ?? '', page.limit + 1],
    );
    return rows;
  }

  override async groupNames(
    db: SqlRunner | null,
    tenantId: string,
    ids: readonly string[],
  ): Promise<Map<string, string>> {
    const { rows } = await (db ?? this.db).query<{ id: string; name: string }>(
      `select id, display_name as name from groups where tenant_id = $1 and id = any($2::text[])`,
      [tenantId, ids],
    );
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  override async lockGroups(
    tx: SqlRunner,
    tenantId: string,
    directoryId: string,
    ids: readonly string[],
  ): Promise<Set<string>> {
    const { rows } = await tx.query<{ id: string }>(
      `select id from groups where tenant_id = $1 and directory_id = $2 and id = any($3::text[]) order by id for key share`,
      [tenantId, directoryId, ids],
    );
    return new Set(rows.map(({ id }) => id));
  }
}
