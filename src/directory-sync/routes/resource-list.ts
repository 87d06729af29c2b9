import type { Database } from '../../base/database/database.js';
import type { AnswerShare } from '../../base/http/answer-budget.js';
import { equalities, type BoundFilter } from '../../protocols/scim/filter/bound.js';
import { resolveFilter } from '../../protocols/scim/filter/resolve.js';
import { toSql } from '../../protocols/scim/filter/to-sql.js';
import { type ListQuery, listResponseText } from '../../protocols/scim/messages/list-query.js';
import {
  type PageMarks,
  readPageRows,
  wholeTotal,
  type ListAsk,
  type ListFilter,
  type ListShapes,
  type PageStart,
  type PageRows,
} from './page-reader.js';
import {
  listName,
  readCursor,
  writeCursor,
  orderOf,
  type ListPlace,
  ID_KEYS,
  type ListKeys,
  type ListTable,
  type PageRow,
} from './page-sql.js';

interface ListPage<Row> extends Pick<PageRows<Row>, 'rows' | 'common' | 'large'> {
  totalResults: number;
  startIndex: number | undefined;
  nextCursor: string | undefined;
}

interface ListView<Row> {
  readonly columns: ListShapes;
  readonly complete?: (row: Row) => Promise<Row>;
  /**
   * Returns the function that writes one resource as JSON text. `common` is the text that the resources of the page
   * share.
   */
  readonly renderer: (common: string | null | undefined) => (row: Row) => string;
}

/**
 * Returns one page of a list as a ListResponse (RFC 7644 §3.4.2). Where resources are large the page has fewer than
 * `count`: `itemsPerPage` is their number, and the next page begins after them.
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
  if (page.large && first && view.complete) page.rows[0] = { ...first, ...(await view.complete(first)) };
  const text = listResponseText({
    totalResults: page.totalResults,
    startIndex: page.startIndex,
    itemsPerPage: page.rows.length,
    resources: page.rows.map(view.renderer(page.common)),
    nextCursor: page.nextCursor,
  });
  await ask.share.grow(text.length);
  return text;
}

export async function lookUpText<Row>(
  rows: readonly Row[],
  share: AnswerShare,
  render: (row: Row) => string,
): Promise<string> {
  const { length } = rows;
  const resources = rows.map(render);
  const text = listResponseText({ totalResults: length, startIndex: 1, itemsPerPage: length, resources });
  await share.grow(text.length);
  return text;
}

async function pageOf<Row extends PageRow>(
  db: Database,
  table: ListTable,
  columns: ListShapes,
  ask: ListAsk,
  marks: PageMarks,
): Promise<ListPage<Row>> {
  const { directory, query } = ask;
  const list = listName(directory, table.type, query);
  const filter = filterOf(table, ask);
  const order = orderOf(table, query, filter.selective);
  const start = startOf(query, list, marks);
  const { rows, more, total, common, large } = await readPageRows<Row>(db, table, columns, ask, {
    filter,
    order,
    start,
  });
  const last = rows.at(-1);
  const end: ListPlace | undefined = last && {
    id: last.id,
    ...(order.key === null ? {} : { key: last.sort_key ?? null }),
  };
  if (start.byIndex && query.count > 0 && more && end) {
    marks.put(start.marks ?? marks.begin(list), query.startIndex + rows.length, end);
  }

  const before = start.byIndex ? query.startIndex - 1 : (start.cursor?.listed ?? 0);
  const listed = before + rows.length;
  // A page without rows that was found by skipping does not show how many rows come before it.
  const ends = query.count > 0 && !more && (rows.length > 0 || start.offset === 0);
  const totalResults =
    ends && (start.byIndex || start.cursor === undefined)
      ? listed
      : agreed(total ?? start.cursor?.total ?? (await countAll(db, table, filter)));
  const page = { rows, common, large, totalResults };
  if (start.byIndex) return { startIndex: query.startIndex, nextCursor: undefined, ...page };
  const next = { place: end!, listed, total: filter.bound === null ? null : totalResults };
  const nextCursor = more && end ? writeCursor(next, list, query.count) : undefined;
  return { startIndex: undefined, nextCursor, ...page };

  /** Returns a total that agrees with the page: at least the rows up to its end, and one more where a page follows. */
  function agreed(counted: number): number {
    if (query.count === 0) return counted;
    if (rows.length > 0 || more) return Math.max(counted, listed + (more ? 1 : 0));
    return start.cursor ? counted : Math.min(counted, before);
  }
}

function filterOf(table: ListTable, { directory, query }: ListAsk): ListFilter {
  const bound = query.filter ? resolveFilter(query.filter, table.type, directory.dialect) : null;
  const params: unknown[] = [directory.tenantId, directory.owners];
  const byId = bound !== null && isSelective(bound, ID_KEYS);
  const conditions = [byId ? (table.visibleById ?? table.visible) : table.visible];
  if (bound) conditions.push(toSql(bound, { ...table.map, base: directory.scimBase }, params));
  const selective = bound !== null && isSelective(bound, table.keys);
  return { bound, selective, where: conditions.join(' and '), params };
}

function startOf(query: ListQuery, list: string, marks: PageMarks): PageStart {
  const byIndex = query.cursor === undefined;
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor, list, query.count);
  const marked = byIndex && query.count > 0;
  const byMarks = !marked ? undefined : query.startIndex === 1 ? marks.begin(list) : marks.find(list, query.startIndex);
  const place = cursor?.place ?? byMarks?.ends.get(query.startIndex);
  const offset = place === undefined && byIndex ? query.startIndex - 1 : 0;
  return { byIndex, cursor, marks: byMarks, place, offset };
}

/** Returns whether an index finds few rows for a filter. The order of the list must not choose the plan then. */
function isSelective(filter: BoundFilter, keys: ListKeys): boolean {
  const { columns, lists } = keys;
  switch (filter.kind) {
    case 'and':
      return filter.terms.some((term) => isSelective(term, keys));
    case 'or':
      return filter.terms.every((term) => isSelective(term, keys));
    case 'compare':
      return filter.op === 'eq' && columns.includes(filter.target.path);
    case 'some':
      return lists.includes(filter.target.path) && typeof equalities(filter.filter)?.get('value') === 'string';
    default:
      return false;
  }
}

async function countAll(db: Database, table: ListTable, filter: ListFilter): Promise<number> {
  const whole = wholeTotal(table, filter);
  const text = whole
    ? `select ${whole} as n, $2::text[] as shown`
    : `select count(*)::int as n from ${table.from} where ${filter.where}`;
  const { rows } = await (whole !== undefined || filter.selective
    ? db.shaped<{ n: number }>(text, filter.params)
    : db.search<{ n: number }>(text, filter.params));
  return rows[0]!.n;
}
