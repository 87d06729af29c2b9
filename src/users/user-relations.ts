/** So many groups are shown at a user, by their ids: a page of users must stay within its bytes. */
export const MAX_GROUPS_SHOWN = 2000;

/** What a user shows of other resources, as JSON text; null: nothing. */
export interface Relations {
  /** The groups that the user is directly in, of all directories. */
  groups: string | null;
  /** The manager, if the user names one that is or was here. */
  manager: string | null;
}

/**
 * The groups of a user, as JSON text. Whether there are any groups at all is asked once per statement, not once per
 * user: a tenant without groups pays nothing for them. `tenant` and `user` are SQL.
 */
const groupsColumn = (tenant: string, user: string): string =>
  `case when exists (select 1 from groups where tenant_id = ${tenant}) then (
    select json_agg(json_build_object('value', g.id, 'display', g.display_name, 'directory', g.directory_id)
      order by g.id)::text
    from (select m.group_id from group_members m where m.tenant_id = ${tenant} and m.member_id = ${user}
        order by m.group_id limit ${MAX_GROUPS_SHOWN}) m
      join groups g on g.tenant_id = ${tenant} and g.id = m.group_id) end as groups`;

/** How a manager `b` is called. */
export const MANAGER_NAME = `coalesce(b.doc ->> 'displayName', b.doc #>> '{name,formatted}', b.user_name)`;

/** SQL that is true where the id was that of a user who is deleted, or whose removal is held. */
export const isGone = (tenant: string, id: string): string =>
  `(exists (select 1 from deleted_users x where x.tenant_id = ${tenant} and x.id = ${id})
    or exists (select 1 from users x where x.tenant_id = ${tenant} and x.id = ${id} and x.gone_at is not null))`;

/**
 * The manager as JSON text: `{value, display, directory}`, or `{gone: true}`; null: no id of ours. `manager` is SQL for the
 * id that the user's resource names.
 */
export const managerColumn = (tenant: string, manager: string): string =>
  `case when ${manager} is not null then coalesce(
    (select json_build_object('value', b.id, 'display', ${MANAGER_NAME}, 'directory', b.directory_id)::text
      from users b where b.tenant_id = ${tenant} and b.id = ${manager} and b.gone_at is null),
    case when ${isGone(tenant, manager)} then '{"gone":true}' end) end as manager`;

/** The relations of a user as columns; `user` and `manager` are SQL for the ids. */
export const relationColumns = (tenant: string, user: string, manager: string): string =>
  `${groupsColumn(tenant, user)}, ${managerColumn(tenant, manager)}`;

/** The same in a statement whose first parameter is the tenant, for a table of users that is called `u`. */
export const RELATIONS = relationColumns('$1', 'u.id', 'u.manager_id');
