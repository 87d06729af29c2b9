import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../base/database/database.js';
import { emailKey, type UserDraft } from './user.mapping.js';
import { USER_COLUMNS, type UserRow } from './user.row.js';

/** A person with the groups they are directly in, as JSON text (null: none). */
export type UserWithGroups = UserRow & { groups: string | null };

/** So many groups are shown at a user, by their ids: a page of users must stay within its bytes. */
export const MAX_GROUPS_SHOWN = 2000;

/**
 * The groups of somebody, as JSON text. Whether there are any groups at all is asked once per statement, not once per
 * user: a tenant without groups pays nothing for them. `tenant` and `user` are SQL.
 */
export const groupsColumn = (tenant: string, user: string): string =>
  `case when exists (select 1 from groups where tenant_id = ${tenant}) then (
    select json_agg(json_build_object('value', g.id, 'display', g.display_name, 'directory', g.directory_id)
      order by g.id)::text
    from (select m.group_id from group_members m where m.tenant_id = ${tenant} and m.member_id = ${user}
        order by m.group_id limit ${MAX_GROUPS_SHOWN}) m
      join groups g on g.tenant_id = ${tenant} and g.id = m.group_id) end as groups`;

/** The same in a statement whose first parameter is the tenant, for a table of users that is called `u`. */
export const GROUPS_COLUMN = groupsColumn('$1', 'u.id');

/** Somebody who has the same user name, e-mail or key as a draft. */
export interface Holder {
  id: string;
  directory_id: string | null;
  status: 'active' | 'inactive';
  gone: boolean;
  same_name: boolean;
  same_email: boolean;
  same_key: boolean;
}

@Injectable()
export class UsersRepository {
  constructor(private readonly db: Database) {}

  /** One person of the tenant, or undefined; with `lock`, to the end of the transaction. */
  async read(tenantId: string, id: string, db: SqlRunner = this.db, lock = false): Promise<UserWithGroups | undefined> {
    const { rows } = await db.query<UserWithGroups>(
      `select ${USER_COLUMNS}, ${GROUPS_COLUMN} from users u where u.tenant_id = $1 and u.id = $2${lock ? ' for update of u' : ''}`,
      [tenantId, id],
    );
    return rows[0];
  }

  /** Who stands in the way of a name, an e-mail or a key, and whom a directory could link with instead. */
  async holders(
    tenantId: string,
    draft: UserDraft,
    key: string | null,
    self: string | null,
    db: SqlRunner,
    takesOver: string | null = null,
  ): Promise<Holder[]> {
    const email = draft.email === null ? null : emailKey(draft.email);
    // One probe per index; a single `or` would make the planner choose one index and filter.
    const probe = (condition: string) =>
      `select o.id, o.directory_id, o.status, o.gone_at is not null as gone, o.user_name_key = $2 as same_name,
         coalesce(o.email_key = $3, false) as same_email, coalesce(o.person_external_id = $4, false) as same_key
       from users o where o.tenant_id = $1 and ${condition} and o.id is distinct from $5`;
    const { rows } = await db.query<Holder>(
      [
        probe(`o.user_name_key = $2`),
        probe(`o.email_key = $3 and o.status = 'active'`),
        probe(`o.email_key = $3 and o.directory_id is null`),
        ...(takesOver === null ? [] : [probe(`o.email_key = $3 and o.status = 'inactive' and o.directory_id = $6`)]),
        probe(`o.person_external_id = $4 and o.status = 'active'`),
        probe(`o.person_external_id = $4 and o.status = 'inactive'`),
      ].join('\n union '),
      [tenantId, draft.userNameKey, email, key, self, ...(takesOver === null ? [] : [takesOver])],
    );
    return rows;
  }

  /** The roles that the group rules of a directory give somebody, in the order of the rules. */
  async rolesFromRules(tenantId: string, directoryId: string, userId: string, db: SqlRunner): Promise<string[]> {
    const { rows } = await db.query<{ role: string }>(
      `select r.role from group_rules r
       where r.tenant_id = $1 and r.directory_id = $2 and exists (
         select 1 from group_members m where m.tenant_id = $1 and m.group_id = r.group_id and m.member_id = $3)
       order by r.position`,
      [tenantId, directoryId, userId],
    );
    return rows.map((row) => row.role);
  }
}
