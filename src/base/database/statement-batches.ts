import type { QueryResult, QueryResultRow } from 'pg';
import { Gatherer, WorkAlone } from '../gatherer.js';
import { isOfOneRow, tooManyGathered } from './database.errors.js';
import { ShapeTexts, type StatementShape } from './shape-texts.js';
import { arrayLiteral } from './text-array.js';

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
  readonly layout: string;
  readonly own: readonly unknown[];
  readonly shared: readonly string[];
  build(): { text: string; values: unknown[] };
  together(): string;
}

/** A statement with its shape and the values of its text. */
interface Built {
  statement: JoiningStatement;
  key: string;
  shape: StatementShape;
  values: unknown[];
}

/** Runs write statements of concurrent requests that have one shape and one tenant as one statement. */
export class StatementBatches {
  private readonly gatherer: Gatherer<Built, QueryResultRow[]>;
  private readonly shapes = new ShapeTexts();

  constructor(private readonly db: Runner) {
    this.gatherer = new Gatherer<Built, QueryResultRow[]>({
      alone: async ({ shape, values }) => (await db.shaped(shape.text, values)).rows,
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
    const shape = this.shapes.of(text, statement.layout);
    return this.gatherer.run(`${shape.name} ${tenantId}${statement.sharedName}`, { statement, key, shape, values });
  }

  private async together(all: readonly Built[]): Promise<QueryResultRow[][]> {
    const { shape, statement: first } = all[0]!;
    const text = (shape.together ??= first.together());
    const columns = first.own.map((_, i) => arrayLiteral(all.map(({ statement }) => statement.own[i])));
    const keys = arrayLiteral(all.map(({ key }) => key));
    let rows: KeyedRow[];
    try {
      ({ rows } = await this.db.shapedOnce<KeyedRow>(text, [first.joins!.tenantId, keys, ...first.shared, ...columns]));
    } catch (error) {
      if (isOfOneRow(error)) throw new WorkAlone();
      throw error;
    }
    return all.map(({ key }) => rows.filter((row) => row.batch_key === key));
  }
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 16;
}
