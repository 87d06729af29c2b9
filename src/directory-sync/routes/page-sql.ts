import { createHash } from 'node:crypto';
import { MAX_PAGE_BYTES } from '../../base/database/byte-cut.js';
import { decodeCursor, encodeCursor } from '../../base/http/page.js';
import type { ColumnMap } from '../../protocols/scim/filter/column-map.js';
import { printFilter } from '../../protocols/scim/filter/print.js';
import { sortToSql } from '../../protocols/scim/filter/sort.js';
import type { ListQuery } from '../../protocols/scim/messages/list-query.js';
import type { ResourceTypeDef } from '../../protocols/scim/schema/resource-types.js';
import { expiredCursor, invalidCount, invalidCursor } from '../../protocols/scim/scim.errors.js';
import type { CurrentDirectory } from './scim-request.js';

/** The columns that a list reads of each resource, in SQL. `$1` is the tenant. */
export interface ListColumns {
  /** The select list over the table, without reading documents. */
  readonly found: string;
  readonly bytes: string;
  /** A query on another table for the found row `a`: one row with `bytes` for each related row. */
  readonly related?: string;
  /** Values that resources of the page share, found once for the page. */
  readonly common?: CommonColumns;
  /**
   * The select list of the answer over a row `c`. Documents are read only where `c.fits`. `c.large`: the row fits
   * because it is the first.
   */
  readonly shown: string;
}

interface CommonColumns {
  /** A query for these rows, over the found rows `a`. The size of a resource can use its rows, `n`. */
  readonly found: string;
  /** The aggregate over `n` that the page gets. */
  readonly text: string;
  readonly used: string;
}

export interface PageRow {
  id: string;
  /** False for the first row that no longer fits in the bytes of the page; its document was not read. */
  fits: boolean;
  large: boolean;
  total: number | null;
  common?: string | null;
  sort_key?: string | null;
}

export interface PageSource {
  readonly from: string;
  readonly id: string;
  readonly where: string;
  readonly by: string;
  /** The sort key of the order as text; null when the order is that of ids. */
  readonly key: string | null;
  readonly limit: number;
  readonly offset: number;
  /**
   * SQL for the exact number of all rows in the snapshot of the statement, in the order of ids: rows are then skipped
   * from the nearer end. Null when rows are skipped from the first one.
   */
  readonly exactTotal: string | null;
  readonly idsFirst: boolean;
}

/** Bytes. Smaller pages need no share of the answer budget. A hundred ordinary users are smaller. */
export const SMALL_PAGE = 256 * 1024;
/** A page of more resources takes its share of the answer budget first, so that it is read once. */
export const FEW_RESOURCES = 100;

// A related row has at least 160 bytes. More related rows than this are more than a page and are not read.
const MOST_RELATED = Math.ceil(MAX_PAGE_BYTES / 160) + 1;

/** Cuts a page at a number of bytes before a document is read. Only the outermost select reads documents. */
export function pageSql(columns: ListColumns, total: string | null, source: PageSource, bytes: number): string {
  const { related, common } = columns;
  const rows = foundRows(columns, source);
  if (related === undefined && common === undefined && source.exactTotal === null) {
    // A look-up has one row and no `with`: each part of a statement costs as much as reading a row.
    const sized = `select a.*, ${columns.bytes} as bytes from (${rows}) a`;
    return shownRows(columns, source, total, `(${cutRows(sized, bytes)})`);
  }
  const parts = source.exactTotal === null ? [] : [`whole as materialized (select ${source.exactTotal} as n)`];
  parts.push(`a as materialized (${rows})`);
  let sized = `select a.*, ${columns.bytes} as bytes from a`;
  if (related !== undefined) {
    // The join reads the rows in order and stops when they fill the page.
    parts.push(`r as materialized (select x.place, sum(x.bytes) as bytes from (
      select a.place, m.bytes from a cross join lateral (${related} offset 0) m limit ${MOST_RELATED}) x group by x.place)`);
    sized = `select a.*, ${columns.bytes} + coalesce(r.bytes, 0) as bytes from a left join r on r.place = a.place`;
  }
  if (common !== undefined) parts.push(`n as materialized (${common.found})`);
  parts.push(`cut as materialized (${cutRows(sized, bytes)})`);
  return `with ${parts.join(',\n')}\n${shownRows(columns, source, total, 'cut')}`;
}

function cutRows(sized: string, bytes: number): string {
  return `select b.*, b.upto <= ${bytes} or b.place = 1 as fits, b.place = 1 and b.upto > ${bytes} as large
    from (select s.*, sum(s.bytes) over (order by s.place rows unbounded preceding) as upto from (${sized}) s) b
    -- The second row is there even behind a first one that fills the page: it shows that the list continues.
    where b.upto - b.bytes <= ${bytes} or b.place = 2`;
}

function shownRows({ shown, common }: ListColumns, { key }: PageSource, total: string | null, cut: string): string {
  const first = (text: string) => `case when c.place = 1 then ${text} end`;
  const shared = common === undefined ? '' : `, ${first(commonText(common))} as common`;
  const all = total === null ? 'null::int' : first(total);
  const sorted = key === null ? '' : ', c.sort_key';
  return `select ${shown}${sorted}, ${all} as total, c.fits, c.large${shared} from ${cut} c order by c.place`;
}

/**
 * Returns the query for the rows of a page with their places. Where rows are skipped or sorted, the ids are found
 * first: no column is computed for other rows, and an index can give the ids alone.
 */
function foundRows({ found }: ListColumns, source: PageSource): string {
  const { from, id, where, by, key, limit, offset, idsFirst } = source;
  const sorted = key === null ? '' : `, ${key} as sort_key`;
  const rows = (list: string) => `select ${list}${sorted} from ${from} where ${where}
    order by ${by} limit ${limit} offset ${offset}`;
  if (!idsFirst) return `select i.*, row_number() over () as place from (${rows(found)}) i`;
  const keys =
    source.exactTotal === null
      ? `select i.*, row_number() over () as place from (${rows(`${id} as id`)}) i`
      : `select i.id, row_number() over (order by i.id) as place from (${nearerEnd(source)}) i`;
  return `select ${found}${key === null ? '' : ', k.sort_key'}, k.place
    from (${keys}) k join ${from} on ${id.split('.')[0]!}.tenant_id = $1 and ${id} = k.id`;
}

/**
 * Returns the query for the ids of a page, skipping from the nearer end: of 100 000 rows at most 50 000. A branch with
 * the limit 0 reads nothing.
 */
function nearerEnd({ from, id, where, limit, offset }: PageSource): string {
  const whole = (value: string) => `(select ${value} from whole)`;
  const isNear = `${offset} <= n - ${offset}`;
  return `(select ${id} as id from ${from} where ${where} order by ${id}
      limit ${whole(`case when ${isNear} then ${limit} else 0 end`)} offset ${offset})
    union all (select ${id} as id from ${from} where ${where} order by ${id} desc
      limit ${whole(`case when ${isNear} then 0 else least(${limit}, greatest(n - ${offset}, 0)) end`)}
      offset ${whole(`greatest(n - ${offset + limit}, 0)`)})`;
}

/** A page that was cut reads only the values that its rows show: they may be few. */
function commonText({ text, used }: CommonColumns): string {
  return `(select ${text} from n where (select bool_and(c.fits) from cut c) or ${used})`;
}

/** The table of a list of one resource type. In all SQL `$1` is the tenant and `$2` the directories that are shown. */
export interface ListTable {
  type: ResourceTypeDef;
  map: ColumnMap;
  from: string;
  id: string;
  visible: string;
  /**
   * The condition for rows that a filter finds by their ids. With `visible` the planner would read all rows of the
   * directory by an index that leads with the directory.
   */
  visibleById?: string;
  /** SQL for the number of all rows without counting; undefined when the rows are few and are counted. */
  total?: string;
  /** `total` is exact in the snapshot of a statement, so that rows can be counted from the last one. */
  exactTotal?: boolean;
  keys: ListKeys;
}

export interface ListKeys {
  readonly columns: readonly string[];
  readonly lists: readonly string[];
}

export const ID_KEYS: ListKeys = { columns: ['id', 'meta.location'], lists: ['members'] };

/** The position of a row in a list. A page begins after it. */
export interface ListPlace {
  readonly id: string;
  /** The row's sort key as text, null where it has none; undefined when the list is ordered by id only. */
  readonly key?: string | null;
}

/** The order of a list in SQL. The id comes last, so that no two rows share a place. */
export interface ListOrder {
  readonly by: string;
  readonly key: string | null;
  readonly indexed: boolean;
  behind(place: ListPlace, params: unknown[]): string;
}

/** The most characters of a sort key without an index: a cursor has to hold it. */
const SORTED_CHARACTERS = 256;

/**
 * Returns the order of a list: by `sortBy` and then by id, else by id. Both have the same direction, so that one index
 * serves ascending and descending order.
 *
 * @param selective an index finds the few rows of the filter: the order must not lead the planner to read all rows
 */
export function orderOf(table: ListTable, query: ListQuery, selective: boolean): ListOrder {
  const id = selective ? `(${table.id} || '')` : table.id;
  if (query.sortBy === undefined) {
    return {
      by: id,
      key: null,
      indexed: true,
      behind: (place, params) => `${table.id} > $${params.push(place.id)}`,
    };
  }
  const sort = sortToSql(query.sortBy, table.type, table.map, query.sortOrder);
  const { direction, nulls, type } = sort;
  const whole = sort.indexed || type !== 'text' ? sort.sql : `left(${sort.sql}, ${SORTED_CHARACTERS})`;
  // A coalesce of the same expression twice is not the expression of any index.
  const key = selective ? `coalesce(${whole}, ${whole})` : whole;
  const sign = direction === 'asc' ? '>' : '<';
  return {
    by: sort.indexed
      ? `${key} ${direction}, ${id} ${direction}`
      : `${key} ${direction} nulls ${nulls}, ${id} ${direction}`,
    key: `(${key})::text`,
    indexed: sort.indexed,
    behind: (place, params) => {
      const at = `$${params.push(place.id)}`;
      const behindKey = (text: string) => {
        const value = `$${params.push(text)}::${type}`;
        return `(${key}, ${id}) ${sign} (${value}, ${at})`;
      };
      if (sort.indexed) return behindKey(place.key ?? '');
      // Rows without the attribute are the last in ascending order, the first in descending order.
      if (place.key == null) {
        const among = `(${key}) is null and ${id} ${sign} ${at}`;
        return direction === 'asc' ? `(${among})` : `((${among}) or (${key}) is not null)`;
      }
      const among = `coalesce(${behindKey(place.key)}, false)`;
      return direction === 'asc' ? `(${among} or (${key}) is null)` : among;
    },
  };
}

/** The life of a cursor in seconds (RFC 9865 `cursorTimeout`). */
export const CURSOR_SECONDS = 24 * 3600;

export interface Walk {
  readonly place: ListPlace;
  readonly listed: number;
  /** The number of matches, counted for the first page; null when it is known without counting. */
  readonly total: number | null;
}

interface Cursor {
  /** The id of the row after which the page begins. Versions that skipped rows wrote a number. */
  a: string | number;
  k?: string | null;
  s: number;
  c: number | null;
  /** The name of the list: a cursor is valid for its own list only. */
  q: string;
  n: number;
  t: number;
}

/** Returns a short name of a list: all pages of one query of one directory have the same name. */
export function listName(directory: CurrentDirectory, type: ResourceTypeDef, query: ListQuery): string {
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

export function writeCursor({ place, listed, total }: Walk, list: string, count: number): string {
  const key = place.key === undefined ? {} : { k: place.key };
  const cursor: Cursor = {
    a: place.id,
    ...key,
    s: listed,
    c: total,
    q: list,
    n: count,
    t: Math.floor(Date.now() / 1000),
  };
  return encodeCursor(cursor);
}

/**
 * Reads a cursor.
 *
 * @returns undefined for '', which asks for the first page
 * @throws {ScimRequestError} invalidCursor, invalidCount or expiredCursor (RFC 9865 §2.1)
 */
export function readCursor(text: string, list: string, count: number): Walk | undefined {
  if (text === '') return undefined;
  const cursor = decodeCursor(text) as Cursor;
  if (cursor.n !== count) throw invalidCount('count must be the same on every page.');
  if (cursor.q !== list) throw invalidCursor('This cursor belongs to another list.');
  const isOld = typeof cursor.a !== 'string' || cursor.t + CURSOR_SECONDS < Date.now() / 1000;
  if (isOld) throw expiredCursor('This cursor has expired; start again with the first page.');
  const key = cursor.k === undefined ? {} : { key: cursor.k };
  return { place: { id: cursor.a as string, ...key }, listed: cursor.s ?? 0, total: cursor.c ?? null };
}
