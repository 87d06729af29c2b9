import { MAX_PAGE_BYTES } from '../base/database/byte-cut.js';
import type { Database } from '../base/database/database.js';
import type { AnswerShare } from '../base/http/answer-budget.js';
import { equalities, type BoundFilter } from '../scim/filter/bound.js';
import { resolveFilter } from '../scim/filter/resolve.js';
import { toSql, type ColumnMap } from '../scim/filter/to-sql.js';
import type { ListQuery } from '../scim/messages/list-query.js';
import { listResponseText } from '../scim/messages/list-response.js';
import type { ResourceTypeDef } from '../scim/schema/resource-types.js';
import type { CurrentDirectory } from './current-directory.js';
import { listName, readCursor, writeCursor } from './list-cursor.js';
import { orderOf, type Place } from './list-order.js';
import type { PageMarks } from './page-marks.js';
import { FEW_RESOURCES, pageSql, SMALL_PAGE, type ListColumns, type PageRow } from './page-sql.js';

/** What the list of one resource type reads. In all SQL `$1` is the tenant and `$2` the directories shown. */
export interface ListTable {
  type: ResourceTypeDef;
  map: ColumnMap;
  from: string;
  id: string;
  visible: string;
  /** SQL for the number of all rows, without counting them; undefined: they are few and are counted. */
  total?: string;
  /** What an index finds a few rows by: these columns, and the values of these lists. */
  keys: { readonly columns: readonly string[]; readonly lists: readonly string[] };
}

interface ListPage<Row> {
  rows: Row[];
  totalResults: number;
  startIndex: number | undefined;
  nextCursor: string | undefined;
}

/** Rows before a page that are counted as part of an ordinary request; beyond it the page is a search. */
const COUNTED_START = 1_000;

/** Where a list is read, for whom, and what its answer may hold. */
export interface ListAsk {
  readonly directory: CurrentDirectory;
  readonly query: ListQuery;
  readonly share: AnswerShare;
}

/** How rows become resources. */
export interface ListView<Row> {
  readonly columns: ListColumns;
  /** Reads what is missing of a first row that is larger than a page. */
  readonly complete?: (row: Row) => Promise<Row>;
  /** Writes one resource as JSON text. */
  readonly render: (row: Row) => string;
}

/**
 * One page of a list as a ListResponse (RFC 7644 §3.4.2). It has fewer resources than `count` where they are large:
 * `itemsPerPage` says how many, and the next page begins behind them.
 */
export async function listText<Row extends { id: string }>(
  db: Database,
  table: ListTable,
  ask: ListAsk,
  marks: PageMarks,
  view: ListView<Row>,
): Promise<string> {
  const page = await pageOf<Row & PageRow>(db, table, view.columns, ask, marks);
  const [first] = page.rows;
  if (first?.large && view.complete) page.rows[0] = { ...first, ...(await view.complete(first)) };
  const text = listResponseText({
    totalResults: page.totalResults,
    startIndex: page.startIndex,
    itemsPerPage: page.rows.length,
    resources: page.rows.map(view.render),
    nextCursor: page.nextCursor,
  });
  await ask.share.grow(text.length);
  return text;
}

/** Reads one page of a list (RFC 7644 §3.4.2, RFC 9865). */
async function pageOf<Row extends PageRow>(
  db: Database,
  table: ListTable,
  columns: ListColumns,
  { directory, query, share }: ListAsk,
  marks: PageMarks,
): Promise<ListPage<Row>> {
  const bound = query.filter ? resolveFilter(query.filter, table.type, directory.dialect) : null;
  const params: unknown[] = [directory.tenantId, directory.owners];
  const conditions = [table.visible];
  if (bound) conditions.push(toSql(bound, { ...table.map, base: directory.scimBase }, params));
  const base = { where: conditions.join(' and '), params: [...params] };
  const list = listName(directory, table.type, query);
  const selective = bound !== null && isSelective(bound, table);
  const order = orderOf(table, query, selective);

  const byIndex = query.cursor === undefined;
  const walk = query.cursor === undefined ? undefined : readCursor(query.cursor, list, query.count);
  const marked = byIndex && query.count > 0;
  const byMarks = !marked ? undefined : query.startIndex === 1 ? marks.begin(list) : marks.find(list, query.startIndex);
  const place = walk?.place ?? byMarks?.ends.get(query.startIndex);
  const offset = place === undefined && byIndex ? query.startIndex - 1 : 0;
  if (place !== undefined) conditions.push(order.behind(place, params));

  const wholeTotal = bound === null ? table.total : undefined;
  // One row more than asked for says whether there is another page. Both numbers are written out: of a parameter the
  // planner would assume a tenth of the table.
  const inner = `from ${table.from} where ${conditions.join(' and ')} order by ${order.by}
    limit ${query.count + 1} offset ${offset}`;
  const search = bound === null ? !order.indexed || offset > COUNTED_START : !selective;
  const sorted = order.key === null ? columns : withSortKey(columns, order.key);
  const read = async (bytes: number) => {
    const text = pageSql(sorted, wholeTotal ?? 'null::int', inner, bytes);
    return (await (search ? db.search<Row>(text, params) : db.shaped<Row>(text, params))).rows;
  };
  const few = query.count <= FEW_RESOURCES;
  if (!few) await share.grow(MAX_PAGE_BYTES);
  let found = query.count === 0 ? [] : await read(few ? SMALL_PAGE : MAX_PAGE_BYTES);
  if (few && found.some((row) => !row.fits || row.large)) {
    // Large: it is read again once there is room for it.
    await share.grow(MAX_PAGE_BYTES);
    found = await read(MAX_PAGE_BYTES);
  }
  const rows = found.slice(0, query.count).filter((row) => row.fits);
  const more = found.length > rows.length;
  const last = rows.at(-1);
  const end: Place | undefined = last && { id: last.id, ...(order.key === null ? {} : { key: last.sort_key ?? null }) };
  if (marked && more && end) marks.put(byMarks ?? marks.begin(list), query.startIndex + rows.length, end);

  const before = byIndex ? query.startIndex - 1 : (walk?.listed ?? 0);
  const listed = before + rows.length;
  const totalResults = await totalOf();
  if (byIndex) return { rows, totalResults, startIndex: query.startIndex, nextCursor: undefined };
  const next = { place: end!, listed, total: bound === null ? null : totalResults };
  const nextCursor = more && end ? writeCursor(next, list, query.count) : undefined;
  return { rows, totalResults, startIndex: undefined, nextCursor };

  /** A number that agrees with the page: rows before it and on it are counted, and one more where there is a next page. */
  async function totalOf(): Promise<number> {
    // The last page of a walk ends the list. Beyond an end that was found by counting nothing is known.
    const ends = query.count > 0 && !more && (rows.length > 0 || offset === 0);
    if (ends && (byIndex || walk === undefined)) return listed;
    const counted = found[0]?.total ?? walk?.total ?? (await countAll(db, table, base, wholeTotal, selective));
    if (query.count === 0) return counted;
    return rows.length > 0 || more
      ? Math.max(counted, listed + (more ? 1 : 0))
      : walk
        ? counted
        : Math.min(counted, before);
  }
}

function withSortKey(columns: ListColumns, key: string): ListColumns {
  return { ...columns, found: `${columns.found}, ${key} as sort_key`, shown: `${columns.shown}, c.sort_key` };
}

/** True if a filter picks a few rows through an index, so that the order of the list must not choose the plan. */
function isSelective(filter: BoundFilter, table: ListTable): boolean {
  const { columns, lists } = table.keys;
  switch (filter.kind) {
    case 'and':
      return filter.terms.some((term) => isSelective(term, table));
    case 'or':
      return filter.terms.every((term) => isSelective(term, table));
    case 'compare':
      return filter.op === 'eq' && columns.includes(filter.target.path);
    case 'some':
      return lists.includes(filter.target.path) && typeof equalities(filter.filter)?.get('value') === 'string';
    default:
      return false;
  }
}

async function countAll(
  db: Database,
  table: ListTable,
  base: { where: string; params: unknown[] },
  wholeTotal: string | undefined,
  selective: boolean,
): Promise<number> {
  const text = wholeTotal
    ? `select ${wholeTotal} as n, $2::text[] as shown`
    : `select count(*)::int as n from ${table.from} where ${base.where}`;
  const { rows } = await (wholeTotal !== undefined || selective
    ? db.shaped<{ n: number }>(text, base.params)
    : db.search<{ n: number }>(text, base.params));
  return rows[0]!.n;
}
