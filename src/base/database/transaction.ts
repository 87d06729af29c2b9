import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import type { SqlRunner } from './sql-runner.js';
import { shapedStatementName, statementName } from './statement-names.js';

/** Runs the statements of a transaction on its one connection. */
export class Transaction implements SqlRunner {
  constructor(private readonly client: PoolClient) {}
  query<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    return this.client.query<R>({ name: statementName(text), text, values });
  }
  shaped<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    return this.client.query<R>({ name: shapedStatementName(text), text, values });
  }
}
