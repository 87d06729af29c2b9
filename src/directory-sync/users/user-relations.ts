/** A page of users must stay within its bytes. */
export const MAX_GROUPS_SHOWN = 2000;

/** The parts of a user that belong to other resources; null without any. */
export interface Relations {
  /** The groups of the user in all directories: one line for each, see {@link groupLine}. */
  groups: string | null;
  /** The manager as JSON text, if the user names one that is or was here. */
  manager: string | null;
}

/**
 * The line of a group `g` in {@link Relations.groups}: id, directory and name in JSON, with blanks between them. A line
 * costs a third of a JSON object, and the answer needs no second serialisation of the name.
 */
export const groupLine = (g: string): string =>
  `${g}.id || ' ' || ${g}.directory_id || ' ' || to_json(${g}.display_name)::text`;

/** Reads a line of {@link groupLine}; `name` is JSON text. */
export function partsOf(line: string): { id: string; directory: string; name: string } {
  const first = line.indexOf(' ');
  const second = line.indexOf(' ', first + 1);
  return { id: line.slice(0, first), directory: line.slice(first + 1, second), name: line.slice(second + 1) };
}

const groupsColumn = (tenant: string, user: string): string =>
  `(select string_agg(x.line, chr(10)) from (select ${groupLine('g')} as line
      from (select m.group_id from group_members m where m.tenant_id = ${tenant} and m.member_id = ${user}
        order by m.group_id limit ${MAX_GROUPS_SHOWN}) m
      join groups g on g.tenant_id = ${tenant} and g.id = m.group_id order by m.group_id) x) as groups`;

export const GROUP_IDS = `array(select m.group_id from group_members m where m.tenant_id = $1 and m.member_id = u.id
  order by m.group_id limit ${MAX_GROUPS_SHOWN})`;

export const GROUP_BYTES = 160;

/** Returns a function that makes {@link Relations.groups} from ids. `lines` has all groups of a page. */
export function groupNamer(lines: string | null): (ids: string | null) => string | null {
  if (lines === null) return () => null;
  const known = new Map(lines.split('\n').map((line) => [partsOf(line).id, line]));
  const made = new Map<string, string>();
  return (ids) => {
    if (ids === null || ids === '') return null;
    let text = made.get(ids);
    if (text === undefined) {
      // Sorted here: the rows of an index have this order, but a query does not promise it.
      const found = ids
        .split(' ')
        .sort()
        .map((id) => known.get(id));
      text = found.filter((line) => line !== undefined).join('\n');
      made.set(ids, text);
    }
    return text === '' ? null : text;
  };
}

export const MANAGER_NAME = `coalesce(b.doc ->> 'displayName', b.doc #>> '{name,formatted}', b.user_name)`;

/**
 * SQL for whether an id is that of a deleted user, or of one whose removal is held. Without `offset 0` the planner
 * reads all users of the tenant once, in place of one user for each row of a page.
 */
export const isGone = (tenant: string, id: string): string =>
  `(exists (select 1 from deleted_users x where x.tenant_id = ${tenant} and x.id = ${id} offset 0)
    or exists (select 1 from users x where x.tenant_id = ${tenant} and x.id = ${id} and x.gone_at is not null offset 0))`;

/**
 * The manager as JSON text: `{value, display, directory}`, or `{gone: true}`; null for an unknown id. `manager` is SQL
 * for the id in the user's resource.
 */
const managerText = (tenant: string, manager: string): string =>
  `case when ${manager} is not null then coalesce(
    (select json_build_object('value', b.id, 'display', ${MANAGER_NAME}, 'directory', b.directory_id)::text
      from users b where b.tenant_id = ${tenant} and b.id = ${manager} and b.gone_at is null),
    case when ${isGone(tenant, manager)} then '{"gone":true}' end) end`;

export const managerColumn = (tenant: string, manager: string): string => `${managerText(tenant, manager)} as manager`;

export const relationColumns = (tenant: string, user: string, manager: string): string =>
  `${groupsColumn(tenant, user)}, ${managerColumn(tenant, manager)}`;

/** The manager of a user `u`; `$1` is the tenant. */
export const MANAGER = managerColumn('$1', 'u.manager_id');

export const MANAGER_TEXT = managerText('$1', 'u.manager_id');

/** The relations of a user `u` as columns; `$1` is the tenant. */
export const RELATIONS = relationColumns('$1', 'u.id', 'u.manager_id');

/** SQL for the number of users without counting. `owner` compares a directory, or '' for none, such as `= $2`. */
export const populationOf = (owner: string): string =>
  `(select (coalesce((select sum(n) from population p where p.tenant_id = $1 and p.owner ${owner}), 0)
    + coalesce((select sum(step) from population_steps s where s.tenant_id = $1 and s.owner ${owner}), 0))::int)`;

/**
 * Returns SQL for the time when the maker's key ended or its user left, else `infinity`. `actor` is an `Actor` as
 * jsonb.
 */
export function makerEnd(tenant: string, actor: string): string {
  const id = `${actor} ->> 'id'`;
  // Earlier versions wrote `person` as the kind of a user.
  return `(case
    when ${actor} ->> 'kind' = 'key' then coalesce((select coalesce(least(k.revoked_at, k.expires_at), 'infinity') from api_keys k
      where k.tenant_id = ${tenant} and k.id = ${id}), now())
    when ${actor} ->> 'kind' in ('user', 'person') then coalesce((select case u.status when 'active' then 'infinity' else u.updated_at end from users u
      where u.tenant_id = ${tenant} and u.id = ${id}), now())
    else 'infinity' end)`;
}
