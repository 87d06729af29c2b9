import type { QueryResult, QueryResultRow } from 'pg';
import { Gatherer, WorkAlone } from '../gatherer.js';
import { isOfOneRow, tooManyGathered } from './database.errors.js';
import { arrayLiteral, Params, placeOf, type Fragment, type StatementStep } from './params.js';

type KeyedRow = QueryResultRow & { batch_key: string };

interface Runner {
  shaped<R extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<R>>;
  /** Runs once: a lock that is not free ends the statement at once. */
  shapedOnce<R extends QueryResultRow>(text: string, values: unknown[]): Promise<QueryResult<R>>;
}

interface JoiningStatement {
  readonly joins: { tenantId: string; key: string } | null;
  readonly sharedName: string;
  readonly layout: string;
  readonly own: readonly unknown[];
  readonly shared: readonly string[];
  build(): { text: string; values: unknown[] };
  together(): string;
}

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

interface StatementShape {
  readonly text: string;
  /** The parameters of the text that all statements share. */
  readonly layout: string;
  /** A short name, which no other shape of this process ever has. */
  readonly name: string;
  together?: string;
}

/** Callers shape texts, too. Some twenty shapes are frequent. */
const MOST_SHAPES = 64;

/**
 * Finds the shape of a text. A map of texts would read each text of some 8 KiB character by character to find its place; texts
 * of one length are compared as bytes.
 */
export class ShapeTexts {
  private readonly byLength = new Map<number, StatementShape[]>();
  private size = 0;
  private made = 0;

  of(text: string, layout: string): StatementShape {
    const same = this.byLength.get(text.length);
    const known = same?.find((shape) => shape.text === text && shape.layout === layout);
    if (known !== undefined) return known;
    if (this.size >= MOST_SHAPES) this.clear();
    const shape: StatementShape = { text, layout, name: String(++this.made) };
    const others = this.byLength.get(text.length);
    if (others === undefined) this.byLength.set(text.length, [shape]);
    else others.push(shape);
    this.size++;
    return shape;
  }

  private clear(): void {
    this.byLength.clear();
    this.size = 0;
  }
}

/** Parameters that are columns of rows: `b` before the subject is written, `subject` afterwards. */
class RowParams extends Params {
  alias = 'b';
  readonly types: string[] = [];
  /** The columns that are read after the subject is written. */
  readonly carried = new Set<number>();

  constructor(tenantId: string) {
    super();
    this.shared(tenantId);
  }

  override add(_value: unknown, type?: string): string {
    const column = this.types.push(type ?? 'text') - 1;
    if (this.alias === 'subject') this.carried.add(column);
    return `${this.alias}.p${column}`;
  }

  /** The tenant is the first parameter; the second one is the array of keys. */
  protected override sharedPlace(_value: string, type: string | undefined): string {
    const others = this.sharedValues.length;
    return placeOf(others === 0 ? 1 : others + 2, type);
  }

  override get source(): string {
    return 'from b';
  }

  override get keys(): string {
    return '$2::text[]';
  }

  override joined(id: string): string {
    return `join subject on subject.id = ${id}`;
  }
}

/**
 * A batch holds the locks of some rows while it waits for that of another one, which a statement of one row never does. So it
 * gives way long before the database looks for a deadlock (`deadlock_timeout`, 1 s), and its statements run alone.
 */
export const LOCK_PATIENCE = '100ms';

/**
 * Returns one text for many statements of a shape: their own values are the rows of a table, and each part reads them there.
 * The cost of a statement beside its rows is then paid once: about two thirds of the work of PostgreSQL for a new user. The
 * rows are those that the single statements would write: each guard reads the values of its own row, and none sees the writes
 * of the others, as for statements that run at the same time.
 *
 * The parameters are the tenant, the keys, the other values that all statements share ({@link Params.sharedValues}), and a
 * column for each value of their own. Statements of one text have one text together.
 *
 * @param steps the fragments of one of them, in the order in which they were added
 */
export function batchText(tenantId: string, steps: readonly StatementStep[]): string {
  const p = new RowParams(tenantId);
  const at = (alias: string, fragment: Fragment): string => {
    p.alias = alias;
    return fragment(p);
  };
  const [before, after]: [string[], string[]] = [[], []];
  let [written, answer, otherwise] = ['', 'subject.*', ''];
  for (const { kind, name, fragment } of steps) {
    if (kind === 'given') before.push(`${name} as materialized (${at('b', fragment)})`);
    else if (kind === 'subject') written = at('b', fragment);
    else if (kind === 'part') after.push(`${name} as (${at('subject', fragment)})`);
    else if (kind === 'answer') answer = at('subject', fragment);
    else otherwise = at('b', fragment);
  }
  const columns = p.types.map((_, i) => `p${i}`);
  const arrays = columns.map((_, i) => `$${p.sharedValues.length + 2 + i}::text[]`);
  const cast = columns.map((name, i) => (p.types[i] === 'text' ? `u.${name}` : `u.${name}::${p.types[i]} as ${name}`));
  const carried = [...p.carried].map((i) => `, b.p${i}`).join('');
  const parts = [
    // Read with the first row, before anything is locked; it holds to the end of the statement.
    `patience as materialized (select set_config('lock_timeout', '${LOCK_PATIENCE}', true) as value)`,
    `b as materialized (select ${['u.key', ...cast].join(', ')}
       from patience cross join unnest(${[p.keys, ...arrays].join(', ')}) as u(${['key', ...columns].join(', ')})
       where patience.value is not null)`,
    ...before,
    `written as (${written})`,
    `subject as materialized (select b.key${carried}, s.* from written s join b on b.key = s.id)`,
    ...after,
  ];
  const rows = `select subject.key as batch_key, ${answer} from subject`;
  const instead =
    otherwise === ''
      ? ''
      : `\nunion all (select b.key, o.* from b cross join lateral (${otherwise} offset 0) o
          where not exists (select 1 from subject s where s.key = b.key))`;
  return `with ${parts.join(',\n')}\n${rows}${instead}`;
}

/** Runs prepared statements: the pool, or a transaction. */
export interface SqlRunner {
  /** Runs a constant text of the source, prepared under its own name on each connection. */
  query<R extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<R>>;
  /** Runs a text whose shape depends on the caller (filters, sorting, pages): prepared only while there are few of them. */
  shaped<R extends QueryResultRow>(text: string, values?: unknown[]): Promise<QueryResult<R>>;
  /** Runs statements of concurrent requests as one; a transaction has none. */
  readonly batches?: StatementBatches;
}
