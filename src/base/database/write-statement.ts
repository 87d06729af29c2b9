import type { QueryResultRow } from 'pg';
import type { SqlRunner } from './database.js';

/** The parameters of one statement. */
export class Params {
  readonly values: unknown[] = [];
  /** Adds a value and returns its place (`$3`), with a cast where the server cannot infer the type. */
  add(value: unknown, type?: string): string {
    this.values.push(value);
    return type ? `$${this.values.length}::${type}` : `$${this.values.length}`;
  }
}

/** SQL of one part of a statement; its values go into the parameters. */
export type Fragment = (p: Params) => string;

/** A part of a statement that other parts read from. Its name is made by the statement and written nowhere else. */
export interface Part {
  /** The name by which a fragment reads it: `from ${part.name}`. */
  readonly name: string;
}

/**
 * One change in one statement. The subject is the guarded write: an insert without a conflict, or an update of the
 * version that was read. Rooms add their own rows, which read `from subject`: where the subject wrote nothing, nothing
 * is written. A round trip costs about a tenth of a write, and the change and its consequences are always written
 * together.
 */
export class WriteStatement {
  private readonly params = new Params();
  private subjectSql: string | null = null;
  private readonly before: string[] = [];
  private readonly after: string[] = [];
  private returning = 'subject.*';
  private otherwise: string | null = null;

  /**
   * Adds a query that the subject itself reads, such as a guard on the tenant's seats; it is evaluated at most once.
   *
   * @returns the handle by which the subject names it
   */
  given(fragment: Fragment): Part {
    const part = { name: `given${this.before.length}` };
    this.before.push(`${part.name} as materialized (${fragment(this.params)})`);
    return part;
  }

  /** Sets the guarded write. Its `returning` list is what the other rooms see as `subject`. */
  subject(fragment: Fragment): this {
    this.subjectSql = fragment(this.params);
    return this;
  }

  /**
   * Adds rows of a room that belong to the change.
   *
   * @returns the handle by which later parts read what this one returns
   */
  add(fragment: Fragment): Part {
    const part = { name: `w${this.after.length}` };
    this.after.push(`${part.name} as (${fragment(this.params)})`);
    return part;
  }

  /** Sets the columns that the statement returns, in place of the subject's own columns. */
  answer(columns: Fragment): this {
    this.returning = columns(this.params);
    return this;
  }

  /**
   * Sets the columns that the statement returns, and a query for the row that it returns where the subject wrote
   * nothing: why it did not.
   */
  answerInstead(columns: Fragment, otherwise: Fragment): this {
    this.answer(columns);
    this.otherwise = otherwise(this.params);
    return this;
  }

  /**
   * Returns the statement as text and values.
   *
   * @throws {Error} when it has no subject
   */
  build(): { text: string; values: unknown[] } {
    if (this.subjectSql === null) throw new Error('a write statement needs a subject');
    const parts = [...this.before, `subject as (${this.subjectSql})`, ...this.after];
    const answer = `select ${this.returning} from subject`;
    const instead =
      this.otherwise === null ? '' : `\nunion all (${this.otherwise} and not exists (select 1 from subject))`;
    return { text: `with ${parts.join(',\n')}\n${answer}${instead}`, values: this.params.values };
  }

  /** Runs the statement and returns the subject's rows. No rows: a guard refused, and nothing was written. */
  async run<R extends QueryResultRow>(db: SqlRunner): Promise<R[]> {
    const { text, values } = this.build();
    // The parts of a change shape the text: the shapes are bounded like those of filters.
    return (await db.shaped<R>(text, values)).rows;
  }
}
