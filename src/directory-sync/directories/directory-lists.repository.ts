import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';

/** A group in the list of an admin. */
export interface GroupListRow {
  id: string;
  display_name: string;
  external_id: string | null;
  members: number;
  pending_members: number;
  created_at: Date;
  updated_at: Date;
}

/** A member of a group whose user does not exist yet. */
export interface PendingMemberRow {
  group_id: string;
  group: string;
  member_id: string;
  display: string | null;
  since: Date;
}

/** Lists groups and pending members for admins. The table of groups belongs to `users`. */
@Injectable()
export class DirectoryListsRepository {
  constructor(private readonly db: Database) {}

  async groups(tenantId: string, directoryId: string, page: PageRequest): Promise<GroupListRow[]> {
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

  /**
   * Returns pending members in the order of groups and members. The position of a page is both ids with a blank
   * between.
   */
  async pendingMembers(tenantId: string, directoryId: string, page: PageRequest): Promise<PendingMemberRow[]> {
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
}
