import type { Database } from '../../base/database/database.js';
import { millisecondsOf } from '../../users/user.row.js';
import { GROUP_BYTES, groupLine, MANAGER } from '../../users/user-relations.js';
import type { LightColumns, LightRow, PageOwner, Related } from '../light-page.js';
import type { ListTable } from '../list-table.js';
import { SMALL_PAGE } from '../page-sql.js';

/** A user of a light page. */
interface LightUser extends LightRow {
  /** The ids of its groups, with blanks between them. */
  groups: string | null;
}

/** More groups than this are more than a small page. */
const MOST_LINKS = Math.floor(SMALL_PAGE / GROUP_BYTES);

const BYTES = 'coalesce(u.doc_bytes, octet_length(u.doc::text))';

// Two times cost as much as all other small columns. Most users were not written again: their second time is null.
const columns = (most: number, manager: string): string =>
  `u.id, case when ${BYTES} <= ${most} then u.doc::text end as doc, case when ${BYTES} > ${most} then ${BYTES} end as bytes,
  u.version - u.quiet_writes as revision, ${millisecondsOf('u.created_at')} as created_at,
  ${millisecondsOf('nullif(coalesce(u.resource_at, u.updated_at), u.created_at)')} as modified_at,
  null as groups, ${manager}`;

/** Users of whom nothing of other resources is shown. */
export const LIGHT_USERS: LightColumns<LightRow> = { select: (most) => columns(most, 'null as manager') };

/** Returns the columns of users that are shown with their groups and managers. */
export function lightMembers(table: ListTable): LightColumns<LightRow> {
  const links = linksSql(table.total!);
  return {
    select: (most) => columns(most, MANAGER),
    relate: (db, owner, rows) => relate(db, links, owner, rows as LightUser[]),
  };
}

/**
 * Returns the statement that reads the groups of the users between two ids. One range of the index costs a third of a
 * probe for each user. Users of other directories can be in the range, so the memberships are limited.
 *
 * @param total SQL for the number of all users
 */
function linksSql(total: string): string {
  return `select ${total} as total, x.links, x.count
    from (select string_agg(l.line, chr(10)) as links, sum(l.count)::int as count
      from (select m.member_id || ' ' || string_agg(m.group_id, ' ') as line, count(*) as count
        from (select m.member_id, m.group_id from group_members m
          where m.tenant_id = $1 and m.member_id between $3 and $4
          order by m.member_id, m.group_id limit ${MOST_LINKS + 1}) m
        group by m.member_id) l) x`;
}

const NAMES = `select string_agg(${groupLine('g')}, chr(10)) as names, max(octet_length(g.display_name)) as longest
  from groups g where g.tenant_id = $1 and coalesce(g.directory_id, '') = $2 and g.id = any($3)`;

/** Adds the ids of their groups to users, and reads the names of these groups. Null: they are too many for the page. */
async function relate(
  db: Database,
  text: string,
  [tenantId, owners]: PageOwner,
  rows: LightUser[],
): Promise<Related | null> {
  const range = [tenantId, owners, rows[0]!.id, rows.at(-1)!.id];
  const found = await db.query<{ total: number; links: string | null; count: number | null }>(text, range);
  const { total, links, count } = found.rows[0]!;
  if (links === null || count === null) return { bytes: 0, common: null, total };
  if (count > MOST_LINKS) return null;
  const groups = addGroups(rows, links);
  const named = await db.query<{ names: string | null; longest: number | null }>(NAMES, [tenantId, owners[0], groups]);
  const { names, longest } = named.rows[0]!;
  return { bytes: count * (GROUP_BYTES + (longest ?? 0)), common: names, total };
}

/** Adds the ids of their groups to users. Returns the ids of all these groups. */
function addGroups(rows: LightUser[], links: string): string[] {
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
