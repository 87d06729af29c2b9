import type { QueryResult, QueryResultRow } from 'pg';
import { Gatherer, WorkAlone } from '../gatherer.js';
import { isOfOneRow, tooManyGathered } from './database.errors.js';
import type { BatchText } from './statement-batch.js';

/** A row of a batch, with the key of the statement that it answers. */
type KeyedRow = QueryResultRow & { batch_key: string };

/** How a batch runs its statements. */
interface Runner {
  shaped<R extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<R>>;
  /** The same, once: no repetition where a lock was not to be had. */
  shapedOnce<R extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<R>>;
}

/** A statement that may run with others of its shape. */
export interface JoiningStatement {
  readonly joins: { tenantId: string; key: string } | null;
  readonly sharedName: string;
  readonly own: readonly unknown[];
  build(): { text: string; values: unknown[] };
  together(): BatchText;
}

/** A statement with its text, which names its shape. */
interface Built {
  statement: JoiningStatement;
  key: string;
  text: string;
  values: unknown[];
}

/** Runs write statements of concurrent requests that have one shape and one tenant as one statement. */
export class StatementBatches {
  private readonly gatherer: Gatherer<Built, QueryResultRow[]>;

  constructor(private readonly db: Runner) {
    this.gatherer = new Gatherer<Built, QueryResultRow[]>({
      alone: async ({ text, values }) => (await db.shaped(text, values)).rows,
      together: (all) => this.together(all),
      keyOf: ({ key }) => key,
      busy: tooManyGathered,
      bytesOf: ({ values }) => values.reduce<number>((sum, value) => sum + lengthOf(value), 0),
    });
  }

  /** Runs a statement that may join others; returns its own rows. */
  run(statement: JoiningStatement): Promise<QueryResultRow[]> {
    const { tenantId, key } = statement.joins!;
    const { text, values } = statement.build();
    return this.gatherer.run(`${tenantId}${statement.sharedName}${text}`, { statement, key, text, values });
  }

  private async together(all: readonly Built[]): Promise<QueryResultRow[][]> {
    const { text, shared } = all[0]!.statement.together();
    const [tenantId, ...others] = shared;
    const columns = all[0]!.statement.own.map((_, i) => arrayLiteral(all.map(({ statement }) => statement.own[i])));
    const keys = arrayLiteral(all.map(({ key }) => key));
    let rows: KeyedRow[];
    try {
      ({ rows } = await this.db.shapedOnce<KeyedRow>(text, [tenantId, keys, ...others, ...columns]));
    } catch (error) {
      if (isOfOneRow(error)) throw new WorkAlone();
      throw error;
    }
    return all.map(({ key }) => rows.filter((row) => row.batch_key === key));
  }
}

/** Returns a PostgreSQL array of texts, in which the values stand as the driver would send them. */
function arrayLiteral(values: readonly unknown[]): string {
  return `{${values.map((value) => (value === null || value === undefined ? 'NULL' : quoted(textOf(value)))).join(',')}}`;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return arrayLiteral(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}

function quoted(text: string): string {
  // Most values are ids and words: a search for the two characters costs a third of a replacement that finds nothing.
  const plain = !text.includes('"') && !text.includes('\\');
  return plain ? `"${text}"` : `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 16;
}
