import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import type { SqlRunner } from './sql-runner.js';
import { shapedStatementName, statementName } from './statement-names.js';
import type { WrittenBytes } from './written-bytes.js';

/** Runs the statements of a transaction on its one connection. */
export class Transaction implements SqlRunner {
  constructor(
    private readonly client: PoolClient,
    private readonly written: WrittenBytes,
  ) {}

  query<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    this.written.note(text, values);
    return this.client.query<R>({ name: statementName(text), text, values });
  }
  shaped<R extends QueryResultRow>(text: string, values: unknown[] = []): Promise<QueryResult<R>> {
    this.written.note(text, values);
    return this.client.query<R>({ name: shapedStatementName(text), text, values });
  }
}
