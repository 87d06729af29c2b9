import type { Database } from '../../../base/database/database.js';
import { DOC_BYTES, millisecondsSql } from '../../users/user.row.js';
import { GROUP_BYTES, groupLine, MANAGER_TEXT } from '../../users/user-relations.js';
import type { LightColumns, LightRow, PageOwner, QueriedPage, Related, RelatedColumns } from '../light-page.js';
import type { ListTable } from '../list-table.js';
import { SMALL_PAGE } from '../page-sql.js';
import type { StoredUser } from './user-resource.js';

/** More groups than this are more than a small page. */
const MOST_LINKS = Math.floor(SMALL_PAGE / GROUP_BYTES);

/**
 * A user as a line: id, version, two times, the size of a document that is left out, then the manager and the document,
 * each after a tab. JSON of the database has neither tabs nor line breaks. Two times cost as much as all other small columns.
 * Most users were not written again: their second time is left out.
 */
const line = (most: string, manager: string): string =>
  `concat(u.id, ' ', u.version - u.quiet_writes, ' ', ${millisecondsSql('u.created_at')}, ' ',
    ${millisecondsSql('nullif(coalesce(u.resource_at, u.updated_at), u.created_at)')}, ' ',
    case when ${DOC_BYTES} > ${most} then ${DOC_BYTES} end, chr(9), ${manager}, chr(9),
    case when ${DOC_BYTES} <= ${most} then u.doc::text end)`;

/** Users of whom nothing of other resources is shown. */
export const LIGHT_USERS: LightColumns = { line: (most) => line(most, 'null'), read: readLine };

/** Returns the columns of users that are shown with their groups and managers. */
export function lightMembers(table: ListTable): LightColumns {
  return { line: (most) => line(most, MANAGER_TEXT), read: readLine, related: groupsOf(table.total!) };
}

function readLine(text: string): LightRow & Omit<StoredUser, 'doc'> {
  const head = text.indexOf('\t');
  const manager = text.indexOf('\t', head + 1);
  const [id, revision, created, modified, bytes] = text.slice(0, head).split(' ') as Columns;
  return {
    id,
    revision: Number(revision),
    created_at: Number(created),
    modified_at: modified === '' ? null : Number(modified),
    bytes: bytes === '' ? null : Number(bytes),
    manager: manager === head + 1 ? null : text.slice(head + 1, manager),
    doc: bytes === '' ? text.slice(manager + 1) : null,
    groups: null,
  };
}

type Columns = [id: string, revision: string, created: string, modified: string, bytes: string];

/** The groups of all users between the first and the last: one range of the index costs a third of a probe for each user. */
const IN_RANGE = `select m.member_id, m.group_id from group_members m
  where m.tenant_id = $1 and m.member_id between p.first and p.last
  order by m.member_id, m.group_id limit ${MOST_LINKS + 1}`;

/** The groups of the users alone, where users of other directories have many groups between them. `$3` is their ids. */
const OF_USERS = `select u.id as member_id, m.group_id from unnest($3::text[]) u(id)
  cross join lateral (select m.group_id from group_members m where m.tenant_id = $1 and m.member_id = u.id) m
  limit ${MOST_LINKS + 1}`;

/** A line for each user that is in groups: its id, and theirs. */
const linesOf = (links: string): string =>
  `select string_agg(l.id || ' ' || l.groups, chr(10)) as links, sum(l.count)::int as count, array_agg(distinct l.groups) as lists
    from (select m.member_id as id, string_agg(m.group_id, ' ') as groups, count(*) as count from (${links}) m group by 1) l`;

/** The names of the groups of the lists `l.lists`. */
const NAMES = `select string_agg(${groupLine('g')}, chr(10)) as names, max(octet_length(g.display_name)) as longest
  from groups g where g.tenant_id = $1 and coalesce(g.directory_id, '') = ($2::text[])[1]
    and g.id = any(string_to_array(array_to_string(l.lists, ' '), ' '))`;

const COLUMNS = 'l.links, l.count, n.names, n.longest';
const OF_THESE = `select ${COLUMNS} from (${linesOf(OF_USERS)}) l cross join lateral (${NAMES}) n`;

/**
 * Returns what the statement of a page reads of the groups of its users.
 *
 * @param total SQL for the number of all users
 */
function groupsOf(total: string): RelatedColumns {
  return {
    columns: `${COLUMNS}, ${total} as total`,
    joins: `cross join lateral (${linesOf(IN_RANGE)}) l cross join lateral (${NAMES}) n`,
    add: (db, owner, rows, found) => addGroups(db, owner, rows, found as QueriedPage & FoundGroups),
  };
}

/** What the users of a page show of groups; null: no groups. */
interface FoundGroups {
  total: number;
  links: string | null;
  count: number | null;
  names: string | null;
  longest: number | null;
}

/** Adds the ids of their groups to users. Null: they are more than the page holds. */
async function addGroups(
  db: Database,
  [tenantId, owners]: PageOwner,
  rows: LightRow[],
  inRange: FoundGroups,
): Promise<Related | null> {
  const { total } = inRange;
  let found: Omit<FoundGroups, 'total'> = inRange;
  if (isMuch(found)) {
    const ids = rows.map(({ id }) => id);
    found = (await db.query<FoundGroups>(OF_THESE, [tenantId, owners, ids])).rows[0]!;
  }
  if (isMuch(found)) return null;
  const { links, count, names, longest } = found;
  if (links === null || count === null) return { bytes: 0, common: null, total };
  const byMember = new Map<string, string>();
  for (const text of links.split('\n')) {
    const end = text.indexOf(' ');
    byMember.set(text.slice(0, end), text.slice(end + 1));
  }
  for (const row of rows) row.groups = byMember.get(row.id) ?? null;
  return { bytes: count * (GROUP_BYTES + (longest ?? 0)), common: names, total };
}

const isMuch = ({ count }: Pick<FoundGroups, 'count'>): boolean => (count ?? 0) > MOST_LINKS;
