import type { QueryResult, QueryResultRow } from 'pg';

/**
 * What one statement may read for a page, or for a batch of an export, in bytes. Answering takes about ten times as much
 * memory for a moment: the rows, the joined text, its bytes, and garbage of the page before. 1,000 ordinary users have
 * 1 MiB.
 */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024;

/** The rows of a page, and whether more of them were found than its bytes hold. */
export interface CutRows<Row> {
  readonly rows: Row[];
  readonly cut: boolean;
}

/**
 * Cuts a query at a number of bytes, in the database: neither the driver nor this process holds more than that and one
 * row. The first row is always given, and the order stays.
 *
 * @param inner a query with its own `order by` and `limit`
 */
export function cutAtBytes(inner: string, bytes = MAX_PAGE_BYTES): string {
  return `select c.* from (
      select b.*, count(*) over ()::int as rows_found, sum(b.bytes) over (order by b.place) - b.bytes as bytes_before
      from (select a.*, octet_length(a::text) as bytes, row_number() over () as place from (${inner}) a) b) c
    where c.bytes_before <= ${bytes} order by c.place`;
}

/** Takes the answer of such a query apart. */
export function cutRowsOf<Row extends QueryResultRow>({ rows }: QueryResult<Row>): CutRows<Row> {
  const found = Number(rows[0]?.['rows_found'] ?? 0);
  const own = rows.map(({ rows_found: _found, bytes_before: _before, bytes: _bytes, place: _place, ...row }) => row);
  return { rows: own as unknown as Row[], cut: rows.length < found };
}
