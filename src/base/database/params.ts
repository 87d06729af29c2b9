interface SharedValue {
  readonly value: string;
  readonly type: string | undefined;
}

/** The parameters of one statement. */
export class Params {
  readonly values: unknown[] = [];
  /** The values that differ between statements of one shape, in the order in which they were added. */
  readonly own: unknown[] = [];
  /** The values that all statements of the shape share, as a part of its name. */
  sharedName = '';
  /** The shared values, in the order in which they were added first. */
  readonly sharedValues: SharedValue[] = [];
  /** The places of the shared values. Another value of the same text can be the statement's own. */
  layout = '';
  private readonly known = new Map<string, string>();

  /** Adds a value and returns its place (`$3`), with a cast where the server cannot infer the type. */
  add(value: unknown, type?: string): string {
    this.own.push(value);
    return this.place(value, type);
  }

  /**
   * Adds a value that is the same in all statements that may run as one: the tenant, a word of ours. Statements of one text add
   * the tenant at the same place.
   */
  shared(value: string, type?: string): string {
    const name = `${type} ${value}`;
    let place = this.known.get(name);
    if (place === undefined) {
      this.known.set(name, (place = this.sharedPlace(value, type)));
      this.sharedName += `${name}\u0000`;
      this.sharedValues.push({ value, type });
    }
    return place;
  }

  /** The `from` of a subject that reads its values from rows; empty where they are parameters. */
  get source(): string {
    return '';
  }

  /** The places of the keys of all subjects as an array, where several statements run as one. */
  get keys(): string | null {
    return null;
  }

  /** The join of a part that reads another part, and values; `id` is SQL for the id of the subject. */
  joined(_id: string): string {
    return '';
  }

  /** The place of a shared value that is added for the first time. */
  protected sharedPlace(value: string, type: string | undefined): string {
    this.layout += `${this.values.length + 1} `;
    return this.place(value, type);
  }

  private place(value: unknown, type: string | undefined): string {
    return placeOf(this.values.push(value), type);
  }
}

/** With a cast where the server cannot infer the type. */
export function placeOf(number: number, type: string | undefined): string {
  return type ? `$${number}::${type}` : `$${number}`;
}

/** SQL of one part of a statement; its values go into the parameters. */
export type Fragment = (p: Params) => string;

export interface StatementStep {
  kind: 'given' | 'subject' | 'part' | 'answer' | 'otherwise';
  name: string;
  fragment: Fragment;
}

/** An escape of JSON with another meaning in arrays of PostgreSQL. */
const OTHER_ESCAPE = /\\[^"\\]/;

/**
 * Returns a list of texts or numbers as a parameter for an array of the database. The driver would write each text apart; JSON
 * writes all of them in one call, and quotes like PostgreSQL, but for control characters and halves of surrogate pairs.
 */
export function textArray(values: readonly (string | number | null)[]): string {
  const json = JSON.stringify(values);
  return OTHER_ESCAPE.test(json) ? arrayLiteral(values) : `{${json.slice(1, -1)}}`;
}

/** Returns a PostgreSQL array of texts, written like those of the driver. */
export function arrayLiteral(values: readonly unknown[]): string {
  return `{${values.map((value) => (value === null || value === undefined ? 'NULL' : quoted(textOf(value)))).join(',')}}`;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return arrayLiteral(value);
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : JSON.stringify(value);
}

function quoted(text: string): string {
  // Most values are ids and words, where a search for the two characters costs a third of what follows.
  if (!text.includes('"') && !text.includes('\\')) return `"${text}"`;
  const json = JSON.stringify(text);
  return OTHER_ESCAPE.test(json) ? `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : json;
}
