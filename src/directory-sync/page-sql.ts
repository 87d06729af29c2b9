import { MAX_PAGE_BYTES } from '../base/database/byte-cut.js';

/** The columns that a list reads of each resource, in SQL. `$1` is the tenant. */
export interface ListColumns {
  /** The select list over the table. A document is named here and not yet read. */
  readonly found: string;
  /** The size in bytes of one found row `a`. */
  readonly bytes: string;
  /** A query on another table for the found row `a`. It gives `bytes`, one row for each related row that is shown. */
  readonly related?: string;
  /**
   * The select list of the answer over a row `c`. Documents are read only where `c.fits`. `c.large`: the row fits
   * because it is the first.
   */
  readonly shown: string;
}

/** A row of a page. */
export interface PageRow {
  id: string;
  /** False for the first row that no longer fits in the bytes of the page; its document was not read. */
  fits: boolean;
  /** The first row alone is larger than a page. */
  large: boolean;
  total: number | null;
  /** The row's sort key as text, where the list is sorted. */
  sort_key?: string | null;
}

/** Smaller pages need no share of the answer budget, in bytes. A hundred ordinary users are smaller. */
export const SMALL_PAGE = 256 * 1024;
/** A page of more resources takes its share of the answer budget first, so that it is read once. */
export const FEW_RESOURCES = 100;

// A related row has at least 160 bytes. More related rows than this are more than a page and are not read.
const MOST_RELATED = Math.ceil(MAX_PAGE_BYTES / 160) + 1;

/**
 * Returns the statement of one page, cut at a number of bytes before a document is read. The sizes are columns of the
 * rows; only the outermost select reads documents.
 *
 * @param inner the rest of the inner query, from `from` to `offset`
 * @param total SQL for the number of all rows
 */
export function pageSql(columns: ListColumns, total: string, inner: string, bytes: number): string {
  const { found, related, shown } = columns;
  const rows = `select i.*, row_number() over () as place from (select ${found}, ${total} as total ${inner}) i`;
  const sized =
    related === undefined
      ? `select a.*, ${columns.bytes} as bytes from (${rows}) a`
      : `select a.*, ${columns.bytes} + coalesce(r.bytes, 0) as bytes from a left join r on r.place = a.place`;
  // The join reads the rows in order and stops when they fill the page.
  const first =
    related === undefined
      ? ''
      : `with a as materialized (${rows}),
         r as materialized (select x.place, sum(x.bytes) as bytes from (
           select a.place, m.bytes from a cross join lateral (${related} offset 0) m limit ${MOST_RELATED}) x group by x.place)`;
  return `${first} select ${shown}, c.total, c.fits, c.large from (
      select b.*, b.upto <= ${bytes} or b.place = 1 as fits, b.place = 1 and b.upto > ${bytes} as large
      from (select s.*, sum(s.bytes) over (order by s.place) as upto from (${sized}) s) b
      -- The second row is there even behind a first one that fills the page: it says that the list goes on.
      where b.upto - b.bytes <= ${bytes} or b.place = 2) c
    order by c.place`;
}
