import type { QueryResultRow } from 'pg';
import type { SqlRunner } from './database.js';

/** The parameters of one statement, numbered as they come. */
export class Params {
  readonly values: unknown[] = [];
  /** Adds a value and returns its place (`$3`), with a cast where the server cannot guess the type. */
  add(value: unknown, type?: string): string {
    this.values.push(value);
    return type ? `$${this.values.length}::${type}` : `$${this.values.length}`;
  }
}

/** A room's rows: a data-modifying query that reads `from subject`, or null if there is nothing to add. */
export type Fragment = (p: Params) => string;

/**
 * One change, one statement. The subject is the guarded write that decides whether anything happens at all (an
 * insert that met no conflict, an update of the version that was read). Rooms add their own rows, all of which read
 * `from subject`: where the subject wrote nothing, nothing is written. Each round trip costs about a tenth of a
 * write, and a fact and what we owe because of it cannot come apart.
 */
export class UnitOfWork {
  private readonly params = new Params();
  private subjectSql: string | null = null;
  private readonly before: string[] = [];
  private readonly after: string[] = [];
  private returning = 'subject.*';

  /** A query the subject itself reads, such as a guard on the tenant's seats; it is evaluated at most once. */
  given(name: string, fragment: Fragment): this {
    this.before.push(`${name} as materialized (${fragment(this.params)})`);
    return this;
  }

  /** The guarded write. Its `returning` list is what the other rooms see as `subject`. */
  subject(fragment: Fragment): this {
    this.subjectSql = fragment(this.params);
    return this;
  }

  /** Rows of a room that belong to the change. */
  add(fragment: Fragment): this {
    this.after.push(fragment(this.params));
    return this;
  }

  /** What the statement answers, in place of the subject's own columns. */
  answer(columns: Fragment): this {
    this.returning = columns(this.params);
    return this;
  }

  /** The number of fragments added so far, which is the name suffix of the next one. */
  get size(): number {
    return this.after.length;
  }

  /** The statement as text and values. */
  build(): { text: string; values: unknown[] } {
    if (this.subjectSql === null) throw new Error('a unit of work needs a subject');
    const parts = [...this.before, `subject as (${this.subjectSql})`];
    this.after.forEach((sql, i) => parts.push(`w${i} as (${sql})`));
    return { text: `with ${parts.join(',\n')}\nselect ${this.returning} from subject`, values: this.params.values };
  }

  /** Sends it. Answers the subject's rows: none means that a guard refused, and nothing was written. */
  async run<R extends QueryResultRow>(db: SqlRunner): Promise<R[]> {
    const { text, values } = this.build();
    // What a change brings along shapes its text: the shapes are bounded, as those of filters are.
    return (await db.shaped<R>(text, values)).rows;
  }
}
