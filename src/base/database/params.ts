/** The parameters of one statement. */
export class Params {
  readonly values: unknown[] = [];
  /** The values that differ between statements of one shape, in the order in which they were added. */
  readonly own: unknown[] = [];
  /** The values that all statements of the shape share, as a part of its name. */
  sharedName = '';
  private readonly places = new Map<string, string>();

  /** Adds a value and returns its place (`$3`), with a cast where the server cannot infer the type. */
  add(value: unknown, type?: string): string {
    this.own.push(value);
    return this.place(value, type);
  }

  /** The same for a value that is the same in all statements that may run as one: the tenant, a word of ours. */
  shared(value: string, type?: string): string {
    const name = `${type} ${value}`;
    let place = this.places.get(name);
    if (place === undefined) {
      this.places.set(name, (place = this.place(value, type)));
      this.sharedName += `${name}\u0000`;
    }
    return place;
  }

  /** The `from` of a subject that reads its values from rows: nothing, where they are parameters. */
  get source(): string {
    return '';
  }

  /** The places of the keys of all subjects as an array, where several statements run as one; else null. */
  get keys(): string | null {
    return null;
  }

  /** The join of a part that reads another part, and values; `id` is SQL for the id of the subject. */
  joined(_id: string): string {
    return '';
  }

  private place(value: unknown, type: string | undefined): string {
    this.values.push(value);
    return type ? `$${this.values.length}::${type}` : `$${this.values.length}`;
  }
}

/** SQL of one part of a statement; its values go into the parameters. */
export type Fragment = (p: Params) => string;

/** A fragment and what it is, in the order in which they were added. */
export interface Step {
  kind: 'given' | 'subject' | 'part' | 'answer' | 'otherwise';
  name: string;
  fragment: Fragment;
}
