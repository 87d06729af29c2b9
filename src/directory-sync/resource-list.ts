import { createHash } from 'node:crypto';
import { MAX_PAGE_BYTES } from '../base/database/byte-cut.js';
import type { Database } from '../base/database/database.js';
import type { AnswerShare } from '../base/http/answer-budget.js';
import { decodeCursor, encodeCursor } from '../base/http/cursor.js';
import { equalities, type BoundFilter } from '../scim/filter/bound.js';
import { printFilter } from '../scim/filter/print.js';
import { resolveFilter } from '../scim/filter/resolve.js';
import { sortToSql } from '../scim/filter/sort.js';
import { toSql, type ColumnMap } from '../scim/filter/to-sql.js';
import type { ListQuery } from '../scim/messages/list-query.js';
import { listResponseText } from '../scim/messages/list-response.js';
import type { ResourceTypeDef } from '../scim/schema/resource-types.js';
import { expiredCursor, invalidCount, invalidCursor } from '../scim/scim.errors.js';
import type { CurrentDirectory } from './current-directory.js';
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
  /** What an index finds a few rows by: these columns, and the values of all lists but these. */
  keys: { readonly columns: readonly string[]; readonly notLists: readonly string[] };
}

interface ListPage<Row> {
  rows: Row[];
  totalResults: number;
  startIndex: number | undefined;
  nextCursor: string | undefined;
}

/** How long a cursor is good for, in seconds (RFC 9865 `cursorTimeout`). */
export const CURSOR_SECONDS = 24 * 3600;

/** Rows before a page that are counted as part of an ordinary request; beyond it the page is a search. */
const COUNTED_START = 1_000;

interface Cursor {
  /** The id behind which the page begins, or, of a sorted list, how many rows come before it. */
  a: string | number;
  /** What else was asked, and by whom: a cursor is good for its own list only. */
  q: string;
  n: number;
  t: number;
}

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
  if (bound) conditions.push(toSql(bound, table.map, params));
  const base = { where: conditions.join(' and '), params: [...params] };
  const list = listName(directory, table.type, query);

  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor, list, query.count);
  const place = cursor?.a ?? query.startIndex - 1;
  const marked = query.cursor === undefined && query.sortBy === undefined && query.count > 0;
  if (marked && query.startIndex === 1) marks.begin(list);
  const mark = marked ? marks.take(list, query.startIndex) : undefined;
  const behind = mark ?? (typeof place === 'string' ? place : undefined);
  const offset = behind === undefined && typeof place === 'number' ? place : 0;
  if (behind !== undefined) conditions.push(`${table.id} > $${params.push(behind)}`);

  const wholeTotal = bound === null ? table.total : undefined;
  // One row more than asked for says whether there is another page. Both numbers are written out: of a parameter the
  // planner would assume a tenth of the table.
  const inner = `from ${table.from} where ${conditions.join(' and ')} order by ${orderOf(table, query, bound)}
    limit ${query.count + 1} offset ${offset}`;
  const search = isSearch(table, query, bound, offset);
  const read = async (bytes: number) => {
    const text = pageSql(columns, wholeTotal ?? 'null::int', inner, bytes);
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
  if (marked && last && more) {
    marks.put(list, query.startIndex + rows.length, last.id);
  }
  const first = rows[0];
  const countedByRows = behind === undefined && !more && (rows.length > 0 || offset === 0) && query.count > 0;
  const totalResults =
    first?.total ??
    (countedByRows && bound !== null ? offset + rows.length : await countAll(db, table, base, wholeTotal, bound));
  if (cursor === undefined && query.cursor === undefined) {
    return { rows, totalResults, startIndex: query.startIndex, nextCursor: undefined };
  }
  const next = query.sortBy === undefined ? last?.id : offset + rows.length;
  const nextCursor = more && next !== undefined ? writeCursor(next, list, query.count) : undefined;
  return { rows, totalResults, startIndex: undefined, nextCursor };
}

function orderOf(table: ListTable, query: ListQuery, bound: BoundFilter | null): string {
  // A few rows that an index finds: `||` keeps the order from offering the planner a walk over all rows instead.
  const byId = bound !== null && isSelective(bound, table) ? `(${table.id} || '')` : table.id;
  if (query.sortBy === undefined) return byId;
  const { sql, direction, nulls } = sortToSql(query.sortBy, table.type, table.map, query.sortOrder);
  return `${sql} ${direction} nulls ${nulls}, ${byId}`;
}

/**
 * Whether the cost of a page is the caller's to choose: a filter or an order that no index answers, or a start so far
 * into the list that what lies before it has to be counted.
 */
function isSearch(table: ListTable, query: ListQuery, bound: BoundFilter | null, offset: number): boolean {
  if (bound !== null) return !isSelective(bound, table);
  return query.sortBy !== undefined || offset > COUNTED_START;
}

/** True if a filter picks a few rows through an index, so that the order of the list must not choose the plan. */
function isSelective(filter: BoundFilter, table: ListTable): boolean {
  const { columns, notLists } = table.keys;
  switch (filter.kind) {
    case 'and':
      return filter.terms.some((term) => isSelective(term, table));
    case 'or':
      return filter.terms.every((term) => isSelective(term, table));
    case 'compare':
      return filter.op === 'eq' && columns.includes(filter.target.path);
    case 'some':
      return !notLists.includes(filter.target.path) && typeof equalities(filter.filter)?.get('value') === 'string';
    default:
      return false;
  }
}

async function countAll(
  db: Database,
  table: ListTable,
  base: { where: string; params: unknown[] },
  wholeTotal: string | undefined,
  bound: BoundFilter | null,
): Promise<number> {
  const text = wholeTotal
    ? `select ${wholeTotal} as n, $2::text[] as shown`
    : `select count(*)::int as n from ${table.from} where ${base.where}`;
  const found = bound !== null && isSelective(bound, table);
  const { rows } = await (wholeTotal !== undefined || found
    ? db.shaped<{ n: number }>(text, base.params)
    : db.search<{ n: number }>(text, base.params));
  return rows[0]!.n;
}

function listName(directory: CurrentDirectory, type: ResourceTypeDef, query: ListQuery): string {
  const filter = query.filter ? printFilter(query.filter) : '';
  const parts = [
    directory.tenantId,
    directory.id,
    type.name,
    filter,
    query.sortBy ?? '',
    query.sortOrder ?? '',
    query.count,
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url').slice(0, 16);
}

function writeCursor(after: string | number, list: string, count: number): string {
  const cursor: Cursor = { a: after, q: list, n: count, t: Math.floor(Date.now() / 1000) };
  return encodeCursor(cursor);
}

function readCursor(text: string, list: string, count: number): Cursor | undefined {
  if (text === '') return undefined;
  const cursor = decodeCursor(text) as Cursor;
  if (cursor.n !== count) throw invalidCount('count must be the same on every page.');
  if (cursor.q !== list) throw invalidCursor('This cursor belongs to another list.');
  if (cursor.t + CURSOR_SECONDS < Date.now() / 1000) throw expiredCursor('This cursor is too old; begin again.');
  return cursor;
}
