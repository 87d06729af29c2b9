import type { QueryResult, QueryResultRow } from 'pg';
import type { StatementBatches } from './statement-batches.js';

/** Runs prepared statements: the pool, or a transaction. */
export interface SqlRunner {
  /** Runs a constant text of the source, prepared under its own name on each connection. */
  query<R extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<R>>;
  /**
   * Runs a text whose shape depends on the caller (filters, sorting, pages): prepared only while there are few of them.
   */
  shaped<R extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<R>>;
  /** Where statements of concurrent requests run as one; a transaction has none. */
  readonly batches?: StatementBatches;
}
