import { DataSource } from 'typeorm';
import type { Pool, PoolClient, QueryResult, QueryResultRow } from 'pg';
import { shapedStatementName, statementName } from './statement-names.js';

/** Whatever can run one prepared statement: the pool, or a transaction. */
export interface SqlRunner {
  /** A text that is written in our code, prepared under a name of its own on each connection. */
  query<R extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<R>>;
  /** A text to whose shape a caller adds (filters, sorting, pages): prepared only while there are few of them. */
  shaped<R extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<R>>;
}

const RETRYABLE = new Set(['40001', '40P01']);

/**
 * The database as the rooms use it: prepared statements on the pool that TypeORM's DataSource owns, and real
 * transactions where several statements must stand or fall together.
 */
export class Database implements SqlRunner {
  private readonly pool: Pool;

  constructor(readonly dataSource: DataSource) {
    // TypeORM keeps node-postgres' pool here and gives it no type; one pool serves its migrations and our SQL.
    this.pool = (dataSource.driver as unknown as { master: Pool }).master;
  }

  query<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    return this.pool.query<R>({ name: statementName(text), text, values });
  }

  shaped<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    return this.pool.query<R>({ name: shapedStatementName(text), text, values });
  }

  /** Runs a text that is not worth a prepared plan (maintenance, scripts of several statements). */
  execute<R extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<R>> {
    return this.pool.query<R>(text, values);
  }

  /**
   * Runs `work` in one transaction (read committed). Deadlocks and serialisation failures are tried again as a whole,
   * three times at the most; every other error rolls back and is thrown.
   */
  async transaction<T>(work: (tx: SqlRunner) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const client = await this.pool.connect();
      let broken: Error | undefined;
      // A connection that ends between two statements says so by an event; without a listener that ends the process.
      client.on('error', ignore);
      try {
        await client.query('begin');
        const result = await work(new Transaction(client));
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch((rollbackError: Error) => {
          broken = rollbackError; // the connection is gone: the pool must not hand it out again
        });
        if (attempt < 3 && RETRYABLE.has(codeOf(error))) continue;
        throw error;
      } finally {
        client.off('error', ignore);
        client.release(broken);
      }
    }
  }

  /** Connections that are open, idle and waited for; for the metrics. */
  counts(): { total: number; idle: number; waiting: number } {
    return { total: this.pool.totalCount, idle: this.pool.idleCount, waiting: this.pool.waitingCount };
  }
}

class Transaction implements SqlRunner {
  constructor(private readonly client: PoolClient) {}
  query<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    return this.client.query<R>({ name: statementName(text), text, values });
  }
  shaped<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    return this.client.query<R>({ name: shapedStatementName(text), text, values });
  }
}

/** The statement that comes next on the connection fails, and reports it. */
function ignore(): void {}

/** The SQLSTATE of a database error, or '' for any other. */
export function codeOf(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}
