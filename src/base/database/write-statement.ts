import type { QueryResultRow } from 'pg';
import type { SqlRunner } from './database.js';
import { Params, type Fragment, type StatementStep } from './params.js';
import { batchText } from './statement-batches.js';

/** A part of a statement that other parts read from. The statement makes its name. */
export interface Part {
  readonly name: string;
}

/**
 * One change in one statement. The subject is the guarded write: an insert without a conflict, or an update of the version that
 * was read. Rooms add their own rows, which read `from subject`: where the subject wrote nothing, nothing is written. A round
 * trip costs about a tenth of a write, and the change and its consequences are always written together.
 *
 * Statements of one shape may run as one ({@link file://./statement-batches.ts}), if all their parts permit it: a part that is
 * `each` reads its values beside a row of `subject`, and names that table so.
 */
export class WriteStatement {
  private readonly params = new Params();
  private readonly steps: StatementStep[] = [];
  private subjectSql: string | null = null;
  private readonly before: string[] = [];
  private readonly after: string[] = [];
  private returning = 'subject.*';
  private otherwise: string | null = null;
  private canJoin = true;
  private id: { tenantId: string; key: string } | null = null;

  /**
   * Adds a query that the subject itself reads, such as a guard on the tenant's seats; it is evaluated at most once.
   *
   * @param each the query is the same for all statements of the shape
   */
  given(fragment: Fragment, { each = false } = {}): Part {
    const part = { name: `given${this.before.length}` };
    this.before.push(`${part.name} as materialized (${this.sql('given', part.name, fragment)})`);
    this.canJoin &&= each;
    return part;
  }

  /**
   * Sets the guarded write. Other rooms read its `returning` list as `subject`.
   *
   * @param of the tenant and the id of the row, where the statement may run with others: the fragment takes both of the
   *   parameters `shared` and `own`, reads the others `from ${p.source}`, and returns the id as `id`
   */
  subject(fragment: Fragment, of: { tenantId: string; key: string } | null = null): this {
    this.subjectSql = this.sql('subject', 'subject', fragment);
    this.id = of;
    return this;
  }

  /** Adds rows of a room that belong to the change. Later parts can read them by the returned part. */
  add(fragment: Fragment, { each = false } = {}): Part {
    const part = { name: `w${this.after.length}` };
    this.after.push(`${part.name} as (${this.sql('part', part.name, fragment)})`);
    this.canJoin &&= each;
    return part;
  }

  /** Sets the columns that the statement returns, in place of the subject's own columns. */
  answer(columns: Fragment): this {
    this.returning = this.sql('answer', '', columns);
    return this;
  }

  /** Sets the columns that the statement returns, and a query for the answer where the subject wrote nothing: the reason. */
  answerInstead(columns: Fragment, otherwise: Fragment): this {
    this.answer(columns);
    this.otherwise = this.sql('otherwise', '', otherwise);
    return this;
  }

  /** The tenant and key of a statement that may run together with others of its shape. */
  get joins(): { tenantId: string; key: string } | null {
    return this.canJoin ? this.id : null;
  }

  get sharedName(): string {
    return this.params.sharedName;
  }

  get layout(): string {
    return this.params.layout;
  }

  get own(): readonly unknown[] {
    return this.params.own;
  }

  build(): { text: string; values: unknown[] } {
    if (this.subjectSql === null) throw new Error('a write statement needs a subject');
    const parts = [...this.before, `subject as (${this.subjectSql})`, ...this.after];
    const answer = `select ${this.returning} from subject`;
    const instead =
      this.otherwise === null ? '' : `\nunion all (${this.otherwise} and not exists (select 1 from subject))`;
    return { text: `with ${parts.join(',\n')}\n${answer}${instead}`, values: this.params.values };
  }

  /** The values that all statements of the shape share, beside the tenant, in the order of their places. */
  get shared(): readonly string[] {
    const tenantId = this.id?.tenantId;
    const others = this.params.sharedValues.filter(({ value, type }) => type !== undefined || value !== tenantId);
    return others.map(({ value }) => value);
  }

  together(): string {
    return batchText(this.id!.tenantId, this.steps);
  }

  /** Returns the subject's rows. No rows: a guard refused, and nothing was written. */
  async run<R extends QueryResultRow>(db: SqlRunner): Promise<R[]> {
    const { joins } = this;
    // Rows have the columns of the statement's own `answer`, which its caller declares.
    if (joins !== null && db.batches !== undefined) return (await db.batches.run(this)) as R[];
    const { text, values } = this.build();
    // The parts of a change shape the text: the shapes are bounded like those of filters.
    return (await db.shaped<R>(text, values)).rows;
  }

  private sql(kind: StatementStep['kind'], name: string, fragment: Fragment): string {
    this.steps.push({ kind, name, fragment });
    return fragment(this.params);
  }
}
