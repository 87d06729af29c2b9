import type { Database } from '../../base/database/database.js';
import { DOC_BYTES, millisecondsOf } from '../../users/user.row.js';
import { GROUP_BYTES, groupLine, MANAGER } from '../../users/user-relations.js';
import type { LightColumns, LightRow, PageOwner, Related } from '../light-page.js';
import type { ListTable } from '../list-table.js';
import { SMALL_PAGE } from '../page-sql.js';

/** More groups than this are more than a small page. */
const MOST_LINKS = Math.floor(SMALL_PAGE / GROUP_BYTES);

// Two times cost as much as all other small columns. Most users were not written again: their second time is null.
const columns = (most: string, manager: string): string =>
  `u.id, case when ${DOC_BYTES} <= ${most} then u.doc::text end as doc, case when ${DOC_BYTES} > ${most} then ${DOC_BYTES} end as bytes,
  u.version - u.quiet_writes as revision, ${millisecondsOf('u.created_at')} as created_at,
  ${millisecondsOf('nullif(coalesce(u.resource_at, u.updated_at), u.created_at)')} as modified_at,
  null as groups, ${manager}`;

/** Users of whom nothing of other resources is shown. */
export const LIGHT_USERS: LightColumns = { select: (most) => columns(most, 'null as manager') };

/** Returns the columns of users that are shown with their groups and managers. */
export function lightMembers(table: ListTable): LightColumns {
  const links: Links = { inRange: linksSql(table.total!, IN_RANGE), ofUsers: linksSql(table.total!, OF_USERS) };
  return {
    select: (most) => columns(most, MANAGER),
    relate: (db, owner, rows) => relate(db, links, owner, rows),
  };
}

/** The statements that read the groups of users: `$3` is the ids of the users, in their order. */
interface Links {
  readonly inRange: string;
  readonly ofUsers: string;
}

/** The groups of all users between the first and the last: one range of the index costs a third of a probe for each user. */
const IN_RANGE = `select m.member_id, m.group_id from group_members m
  where m.tenant_id = $1 and m.member_id between ($3::text[])[1] and ($3::text[])[cardinality($3)]
  order by m.member_id, m.group_id`;

/** The groups of the users alone, where users of other directories have many groups between them. */
const OF_USERS = `select u.id as member_id, m.group_id from unnest($3::text[]) u(id)
  cross join lateral (select m.group_id from group_members m where m.tenant_id = $1 and m.member_id = u.id) m`;

/**
 * Returns the statement that reads groups of users, as a line for each user, and the number of all users.
 *
 * @param total SQL for the number of all users
 */
function linksSql(total: string, links: string): string {
  return `select ${total} as total, x.links, x.count
    from (select string_agg(l.line, chr(10)) as links, sum(l.count)::int as count
      from (select m.member_id || ' ' || string_agg(m.group_id, ' ') as line, count(*) as count
        from (${links} limit ${MOST_LINKS + 1}) m
        group by m.member_id) l) x`;
}

const NAMES = `select string_agg(${groupLine('g')}, chr(10)) as names, max(octet_length(g.display_name)) as longest
  from groups g where g.tenant_id = $1 and coalesce(g.directory_id, '') = $2 and g.id = any($3)`;

/** Adds the ids of their groups to users, and reads the names of these groups. Null: they are more than the page holds. */
async function relate(
  db: Database,
  { inRange, ofUsers }: Links,
  [tenantId, owners]: PageOwner,
  rows: LightRow[],
): Promise<Related | null> {
  const ids = rows.map(({ id }) => id);
  const read = async (text: string) => (await db.query<FoundLinks>(text, [tenantId, owners, ids])).rows[0]!;
  let found = await read(inRange);
  if (isMuch(found)) found = await read(ofUsers);
  if (isMuch(found)) return null;
  const { total, links, count } = found;
  if (links === null || count === null) return { bytes: 0, common: null, total };
  const groups = addGroups(rows, links);
  const named = await db.query<{ names: string | null; longest: number | null }>(NAMES, [tenantId, owners[0], groups]);
  const { names, longest } = named.rows[0]!;
  return { bytes: count * (GROUP_BYTES + (longest ?? 0)), common: names, total };
}

/** What a statement of {@link Links} found; null: no groups. */
interface FoundLinks {
  total: number;
  links: string | null;
  count: number | null;
}

const isMuch = ({ count }: FoundLinks): boolean => (count ?? 0) > MOST_LINKS;

/** Adds the ids of their groups to users. Returns the ids of all these groups. */
function addGroups(rows: LightRow[], links: string): string[] {
  const byMember = new Map<string, string>();
  for (const line of links.split('\n')) {
    const end = line.indexOf(' ');
    byMember.set(line.slice(0, end), line.slice(end + 1));
  }
  const lists = new Set<string>();
  for (const row of rows) {
    row.groups = byMember.get(row.id) ?? null;
    if (row.groups !== null) lists.add(row.groups);
  }
  return [...new Set([...lists].flatMap((ids) => ids.split(' ')))];
}
