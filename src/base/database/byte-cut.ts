import type { QueryResult, QueryResultRow } from 'pg';

/**
 * The most bytes of documents that one statement reads for a page, or for a batch of an export. An answer briefly needs
 * about ten times as much: rows, text, bytes, and garbage of the page before. 1,000 ordinary users have 1 MiB.
 */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024;

/** The rows of a page, and whether more rows were found. */
export interface CutRows<Row> {
  readonly rows: Row[];
  readonly cut: boolean;
}

/**
 * Returns a query cut at a number of bytes by the database: driver and process hold no more than that and one row. The
 * first row is always returned, and the order stays.
 *
 * @param inner a query with its own `order by` and `limit`
 */
export function cutAtBytes(inner: string, bytes = MAX_PAGE_BYTES): string {
  return `select c.* from (
      select b.*, count(*) over ()::int as rows_found, sum(b.bytes) over (order by b.place) - b.bytes as bytes_before
      from (select a.*, octet_length(a::text) as bytes, row_number() over () as place from (${inner}) a) b) c
    where c.bytes_before <= ${bytes} order by c.place`;
}

/** Reads the result of such a query. */
export function cutRowsOf<Row extends QueryResultRow>({ rows }: QueryResult<Row>): CutRows<Row> {
  const found = Number(rows[0]?.['rows_found'] ?? 0);
  const own = rows.map(({ rows_found: _found, bytes_before: _before, bytes: _bytes, place: _place, ...row }) => row);
  return { rows: own as unknown as Row[], cut: rows.length < found };
}
