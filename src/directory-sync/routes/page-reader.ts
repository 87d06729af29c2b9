import { MAX_PAGE_BYTES } from '../../base/database/byte-cut.js';
import type { Database } from '../../base/database/database.js';
import type { AnswerShare } from '../../base/http/answer-budget.js';
import type { BoundFilter } from '../../protocols/scim/filter/bound.js';
import type { ListQuery } from '../../protocols/scim/messages/list-query.js';
import type { CurrentDirectory } from './current-directory.js';
import { LIGHT_RESOURCES, readLight, type LightColumns, type LightPage, type LightRow } from './light-page.js';
import type { Walk } from './list-cursor.js';
import type { ListOrder, ListPlace } from './list-order.js';
import type { ListTable } from './list-table.js';
import type { WalkMarks } from './page-marks.js';
import { FEW_RESOURCES, pageSql, SMALL_PAGE, type ListColumns, type PageRow, type PageSource } from './page-sql.js';

/** Rows before a page that an ordinary request skips. Beyond this number the page is a search. */
const COUNTED_START = 1_000;

/** A request for a list: directory, query, and the memory of the answer. */
export interface ListAsk {
  readonly directory: CurrentDirectory;
  readonly query: ListQuery;
  readonly share: AnswerShare;
}

/** The columns of pages, by the number of their rows. */
export interface ListShapes {
  /** For a filter that finds few rows through an index. */
  readonly few: ListColumns;
  readonly many: ListColumns;
  /** For a page of the unfiltered list in the order of ids; undefined: it is read as any other. */
  readonly light?: LightColumns;
}

/** The filter of a list as SQL. */
export interface ListFilter {
  /** Null: all resources are listed. */
  readonly bound: BoundFilter | null;
  readonly selective: boolean;
  readonly where: string;
  readonly params: unknown[];
}

/** The row behind which a page begins, and how it was found. */
export interface PageStart {
  /** The request has `startIndex` and no cursor. */
  readonly byIndex: boolean;
  readonly cursor: Walk | undefined;
  readonly marks: WalkMarks | undefined;
  readonly place: ListPlace | undefined;
  /** Rows to skip, where no place is known. */
  readonly offset: number;
}

/** The rows of a page, as read. */
export interface PageRows<Row> {
  readonly rows: Row[];
  /** Whether a row follows the page. */
  readonly more: boolean;
  /** The number of all rows; null: it was not read. */
  readonly total: number | null;
  /** What the rows have in common. */
  readonly common: string | null | undefined;
  /** The page has one row, which is larger than a page and was not read whole. */
  readonly large: boolean;
}

const NO_ROWS = { rows: [], more: false, total: null, common: undefined, large: false };

/** Reads the rows of a page, and whether a page follows. */
export async function readPageRows<Row extends PageRow>(
  db: Database,
  table: ListTable,
  columns: ListShapes,
  { directory, query, share }: ListAsk,
  { filter, order, start }: { filter: ListFilter; order: ListOrder; start: PageStart },
): Promise<PageRows<Row>> {
  if (query.count === 0) return NO_ROWS;
  const params = [...filter.params];
  const isDeep = start.offset > COUNTED_START;
  const behind = start.place === undefined ? '' : ` and ${order.behind(start.place, params)}`;
  const source: PageSource = {
    from: table.from,
    id: table.id,
    where: filter.where + behind,
    by: order.by,
    key: order.key,
    // Both numbers are literals: for a parameter the planner assumes a tenth of the table.
    limit: query.count + 1,
    offset: start.offset,
    exactTotal: isDeep && table.exactTotal === true && order.key === null ? (wholeTotal(table, filter) ?? null) : null,
    idsFirst: start.offset > 0 || !order.indexed,
  };
  const search = filter.bound === null ? !order.indexed || isDeep : !filter.selective;
  const read = async (bytes: number) => {
    const total = source.exactTotal === null ? (wholeTotal(table, filter) ?? null) : '(select n from whole)';
    const text = pageSql(filter.selective ? columns.few : columns.many, total, source, bytes);
    return (await (search ? db.search<Row>(text, params) : db.shaped<Row>(text, params))).rows;
  };
  const inOrder = filter.bound === null && order.key === null && !source.idsFirst;
  if (columns.light !== undefined && inOrder && query.count <= LIGHT_RESOURCES) {
    const owner = [directory.tenantId, directory.owners] as const;
    const page = await readLight<Row & LightRow>(db, table, columns.light, owner, { source, params });
    if (page !== null) return lightRows(page);
  }
  if (query.count <= FEW_RESOURCES) {
    const found = await read(SMALL_PAGE);
    if (found.every((row) => row.fits && !row.large)) return cutRows(found, query.count);
  }
  // A large page is read once the budget has room for it.
  await share.grow(MAX_PAGE_BYTES);
  return cutRows(await read(MAX_PAGE_BYTES), query.count);
}

function cutRows<Row extends PageRow>(found: Row[], count: number): PageRows<Row> {
  const rows = found.slice(0, count).filter((row) => row.fits);
  const [first] = found;
  return {
    rows,
    more: found.length > rows.length,
    total: first?.total ?? null,
    common: first?.common,
    large: first?.large ?? false,
  };
}

function lightRows<Row>({ rows, more, related }: LightPage<Row>): PageRows<Row> {
  return { rows, more, total: related?.total ?? null, common: related?.common, large: false };
}

/** Returns SQL for the number of all rows of an unfiltered list, if the table keeps that number. */
export function wholeTotal(table: ListTable, filter: ListFilter): string | undefined {
  return filter.bound === null ? table.total : undefined;
}
