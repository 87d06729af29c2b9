import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { KeyedReads } from '../../../base/database/record-list.js';
import { resolveFilter } from '../../../protocols/scim/filter/resolve.js';
import type { ListQuery } from '../../../protocols/scim/messages/list-query.js';
import { projectionNeeds, type Projection, parseProjection } from '../../../protocols/scim/resource/project.js';
import { userNameKey } from '../../../protocols/scim/text.js';
import { ENTERPRISE_URN } from '../../../protocols/scim/urns.js';
import {
  GROUP_BYTES,
  groupLine,
  MANAGER_TEXT,
  GROUP_IDS,
  MANAGER,
  RELATIONS,
  groupNamer,
} from '../../users/user-relations.js';
import { DOC_BYTES, millisecondsSql } from '../../users/user.row.js';
import {
  type LightColumns,
  type LightRow,
  type PageOwner,
  type QueriedPage,
  type Related,
  type RelatedColumns,
  type ListShapes,
  PageMarks,
  type ListAsk,
} from '../page-reader.js';
import { type ListTable, SMALL_PAGE, type ListColumns } from '../page-sql.js';
import { listText, lookUpText } from '../resource-list.js';
import { readsKept, type CurrentDirectory } from '../scim-request.js';
import { type StoredUser, viewOf, type View } from './user-resource.js';
import { PREVIEW_TABLE, USER_TEXT_FACTS, USER_TABLE, USER_TEXT_COLUMNS, tableFor } from './user.columns.js';

const MOST_LINKS = Math.floor(SMALL_PAGE / GROUP_BYTES);

/**
 * A user as a line: id, version, two times, the size of an omitted document. Then the manager and the document, each
 * after a tab. JSON of the database has neither tabs nor line breaks. Two times cost as much as all other small
 * columns. Most users were never written again: their second time is omitted.
 */
const line = (most: string, manager: string): string =>
  `concat(u.id, ' ', u.version - u.quiet_writes, ' ', ${millisecondsSql('u.created_at')}, ' ',
    ${millisecondsSql('nullif(coalesce(u.resource_at, u.updated_at), u.created_at)')}, ' ',
    case when ${DOC_BYTES} > ${most} then ${DOC_BYTES} end, chr(9), ${manager}, chr(9),
    case when ${DOC_BYTES} <= ${most} then u.doc::text end)`;

const LIGHT_USERS: LightColumns = { line: (most) => line(most, 'null'), read: readLine };

function lightMembers(table: ListTable): LightColumns {
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

/**
 * The groups of the users alone, for a range in which users of other directories have many groups. `$3` is their ids.
 */
const OF_USERS = `select u.id as member_id, m.group_id from unnest($3::text[]) u(id)
  cross join lateral (select m.group_id from group_members m where m.tenant_id = $1 and m.member_id = u.id) m
  limit ${MOST_LINKS + 1}`;

/** A line for each user with groups: the id of the user, then those of the groups. */
const linesOf = (links: string): string =>
  `select string_agg(l.id || ' ' || l.groups, chr(10)) as links, sum(l.count)::int as count, array_agg(distinct l.groups) as lists
    from (select m.member_id as id, string_agg(m.group_id, ' ') as groups, count(*) as count from (${links}) m group by 1) l`;

const NAMES = `select string_agg(${groupLine('g')}, chr(10)) as names, max(octet_length(g.display_name)) as longest
  from groups g where g.tenant_id = $1 and coalesce(g.directory_id, '') = ($2::text[])[1]
    and g.id = any(string_to_array(array_to_string(l.lists, ' '), ' '))`;

const COLUMNS = 'l.links, l.count, n.names, n.longest';
const OF_THESE = `select ${COLUMNS} from (${linesOf(OF_USERS)}) l cross join lateral (${NAMES}) n`;

function groupsOf(total: string): RelatedColumns {
  return {
    columns: `${COLUMNS}, ${total} as total`,
    joins: `cross join lateral (${linesOf(IN_RANGE)}) l cross join lateral (${NAMES}) n`,
    add: (db, owner, rows, found) => addGroups(db, owner, rows, found as QueriedPage & FoundGroups),
  };
}

interface FoundGroups {
  total: number;
  links: string | null;
  count: number | null;
  names: string | null;
  longest: number | null;
}

/** Adds the ids of their groups to users. Null when they exceed the page. */
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

const FOUND = `u.id, u.doc, ${DOC_BYTES} as doc_bytes, ${USER_TEXT_FACTS}`;
const SHOWN = `c.id, case when c.fits then c.doc::text end as doc, c.revision, c.created_at, c.modified_at`;

const OWN_COLUMNS: ListColumns = {
  found: FOUND,
  bytes: 'a.doc_bytes',
  shown: `${SHOWN}, null as groups, null as manager`,
};

const FEW_COLUMNS: ListColumns = {
  found: `${FOUND}, ${RELATIONS}`,
  bytes: 'a.doc_bytes + coalesce(octet_length(a.groups), 0)',
  shown: `${SHOWN}, case when c.fits then c.groups end as groups, c.manager`,
};

const PAGE_COLUMNS: ListColumns = {
  found: `${FOUND}, ${GROUP_IDS} as group_ids, ${MANAGER}`,
  bytes: `a.doc_bytes
    + coalesce(cardinality(a.group_ids) * (select ${GROUP_BYTES} + max(octet_length(n.display_name)) from n), 0)`,
  common: {
    found: `select g.id, g.directory_id, g.display_name from groups g where g.tenant_id = $1
      and coalesce(g.directory_id, '') = ($2::text[])[1] and g.id = any(array(select distinct unnest(a.group_ids) from a))`,
    text: `string_agg(${groupLine('n')}, chr(10))`,
    used: `n.id in (select unnest(c.group_ids) from cut c where c.fits)`,
  },
  shown: `${SHOWN}, case when c.fits then array_to_string(c.group_ids, ' ') end as groups, c.manager`,
};

const LIGHT_MEMBERS = lightMembers(USER_TABLE);
const PREVIEW_MEMBERS = lightMembers(PREVIEW_TABLE);

/** Returns the columns of a list. Other resources that the projection does not show are not read. */
function userColumns(projection: Projection | null, directory: CurrentDirectory): ListShapes {
  const related = ['groups', 'meta', ENTERPRISE_URN].some((name) => projectionNeeds(projection, name));
  if (!related) return { few: OWN_COLUMNS, many: OWN_COLUMNS, light: LIGHT_USERS };
  return { few: FEW_COLUMNS, many: PAGE_COLUMNS, light: readsKept(directory) ? PREVIEW_MEMBERS : LIGHT_MEMBERS };
}

/** The user name finds one user; an externalId finds several only by mistake. */
const MOST_FOUND = 4;

type Found = StoredUser & { key: string };

/**
 * Look-ups before each write of an IdP: `userName eq "…"` and `externalId eq "…"`. They are the most frequent lists of
 * all, so those of concurrent requests share a statement, as reads by id do.
 */
class UserLookUps {
  private readonly reads: Readonly<Record<string, KeyedReads<Found>>>;

  constructor(db: Database) {
    this.reads = { userName: readsBy(db, 'user_name_key'), externalId: readsBy(db, 'external_id') };
  }

  /**
   * Returns the users of a list in the order of their ids. Null where the list is no look-up, or has too many users.
   *
   * @throws {ScimRequestError} invalidFilter
   */
  async find(directory: CurrentDirectory, query: ListQuery): Promise<StoredUser[] | null> {
    const { filter, cursor, sortBy, startIndex, count } = query;
    if (filter?.kind !== 'compare' || filter.op !== 'eq' || readsKept(directory)) return null;
    if (cursor !== undefined || sortBy !== undefined || startIndex !== 1) return null;
    const bound = resolveFilter(filter, directory.userType, directory.dialect);
    if (bound.kind !== 'compare' || typeof bound.value !== 'string') return null;
    const reads = Object.hasOwn(this.reads, bound.target.path) ? this.reads[bound.target.path] : undefined;
    if (reads === undefined) return null;
    const key = bound.target.path === 'userName' ? userNameKey(bound.value) : bound.value;
    const rows = await reads.read([directory.tenantId, directory.owners], key);
    if (rows.length > Math.min(count, MOST_FOUND)) return null;
    return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

function readsBy(db: Database, column: string): KeyedReads<Found> {
  const { from, visible } = USER_TABLE;
  // The limit holds for each key: a value that many users share must not be read for all of them.
  const text = `select k.key, x.* from unnest($3::text[]) as k(key) cross join lateral (
    select ${USER_TEXT_COLUMNS} from ${from} where ${visible} and u.${column} = k.key limit ${MOST_FOUND + 1}) x`;
  return new KeyedReads<Found>(db, text, ({ key }) => key);
}

@Injectable()
export class UserLists {
  private readonly marks = new PageMarks();
  private readonly lookUps: UserLookUps;

  constructor(private readonly db: Database) {
    this.lookUps = new UserLookUps(db);
  }

  /** Returns a ListResponse as text (RFC 7644 §3.4.2). `render` writes one resource. */
  async list(ask: ListAsk, render: (row: StoredUser, view: View) => string): Promise<string> {
    const { directory, query } = ask;
    const projection = parseProjection(directory.userType, query.attributes, query.excludedAttributes);
    const view = viewOf(directory);
    const found = await this.lookUps.find(directory, query);
    if (found !== null) return lookUpText(found, ask.share, (row) => render(row, view));
    const renderer = (common: string | null | undefined) => {
      if (common === undefined) return (row: StoredUser) => render(row, view);
      const named = groupNamer(common);
      return (row: StoredUser) => {
        row.groups = named(row.groups);
        return render(row, view);
      };
    };
    const table = tableFor(directory);
    return listText(this.db, table, ask, this.marks, { columns: userColumns(projection, directory), renderer });
  }
}
