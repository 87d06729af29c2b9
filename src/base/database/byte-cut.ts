import type { QueryResult, QueryResultRow } from 'pg';
import { INSTALLATION, ownerOf } from './database-health.js';

/**
 * Bytes of documents that one statement reads for a page, or for a batch of an export. An answer briefly needs about ten times
 * as much: rows, text, bytes, and garbage of the page before. 1,000 ordinary users have 1 MiB.
 */
export const MAX_PAGE_BYTES = 2 * 1024 * 1024;

/** The rows of a page, and whether more rows were found. */
export interface CutRows<Row> {
  readonly rows: Row[];
  readonly cut: boolean;
}

/**
 * Returns a query cut at a number of bytes by the database: driver and process hold no more than that and one row. The first
 * row is always returned, and the order stays.
 *
 * @param inner a query with its own `order by` and `limit`
 */
export function cutAtBytes(inner: string, bytes = MAX_PAGE_BYTES): string {
  return `select c.* from (
      select b.*, count(*) over ()::int as rows_found, sum(b.bytes) over (order by b.place) - b.bytes as bytes_before
      from (select a.*, octet_length(a::text) as bytes, row_number() over () as place from (${inner}) a) b) c
    where c.bytes_before <= ${bytes} order by c.place`;
}

/** Reads the result of `cutAtBytes`. */
export function cutRowsOf<Row extends QueryResultRow>({ rows }: QueryResult<Row>): CutRows<Row> {
  const found = Number(rows[0]?.['rows_found'] ?? 0);
  const own = rows.map(({ rows_found: _found, bytes_before: _before, bytes: _bytes, place: _place, ...row }) => row);
  return { rows: own as unknown as Row[], cut: rows.length < found };
}

/** The bytes of a row beside its values: headers and entries of indexes. */
const OF_ROW = 256;

/**
 * Estimates the bytes that this process writes for each tenant: the values of each statement that inserts or updates. The
 * number of tenants in memory is that of the tenants that wrote since the last `take`. The estimate also counts writes that are
 * rolled back, and a change of a row counts like a new row; a measurement of the tables replaces it.
 */
export class WrittenBytes {
  private bytes = new Map<string, number>();

  /** Counts a statement whose first value is its tenant. */
  note(text: string, values: readonly unknown[]): void {
    const tenantId = ownerOf(values[0]);
    if (tenantId === INSTALLATION || !(text.includes('insert into ') || text.includes('update '))) return;
    this.add(tenantId, OF_ROW + lengthOf(values));
  }

  add(tenantId: string, bytes: number): void {
    this.bytes.set(tenantId, (this.bytes.get(tenantId) ?? 0) + bytes);
  }

  /** Returns the bytes of the tenants that have written at least `least` bytes, and forgets them. */
  take(least: number): Map<string, number> {
    const taken = new Map([...this.bytes].filter(([, bytes]) => bytes >= least));
    for (const tenantId of taken.keys()) this.bytes.delete(tenantId);
    return taken;
  }
}

function lengthOf(values: readonly unknown[]): number {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === 'string') bytes += value.length;
    else if (Buffer.isBuffer(value)) bytes += value.length;
    else if (Array.isArray(value)) bytes += lengthOf(value);
    else bytes += 8;
  }
  return bytes;
}
