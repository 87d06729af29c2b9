import type { BoundValueFilter } from './bound.js';

/** A column that holds an attribute. */
export interface ColumnRule {
  /** The expression, written by us: `u.user_name_key`. */
  readonly sql: string;
  readonly type: 'text' | 'uuid' | 'boolean' | 'timestamptz' | 'integer';
  /** The column holds `key(text)`, not the text: literals go through it as well, and nothing is folded here. */
  readonly key?: (text: string) => string;
  /** The column holds the end of an address: this comes in front of it, and `ColumnMap.base` in front of that. */
  readonly path?: string;
  /** A condition without which the value counts as missing; the column is nullable then. */
  readonly when?: string;
  /** Leave out for NOT NULL columns, whose comparisons then stay plain enough for every index. */
  readonly nullable?: boolean;
  /**
   * An expression that is never null and that an index has in order: lists are sorted by it. Missing values are the
   * last. It may be a beginning of the text, if that is long.
   */
  readonly sorted?: string;
  /** The characters of the text that `sorted` begins with: `eq` finds them by its index first. */
  readonly sortedCharacters?: number;
}

/**
 * Answers "some value meets `inner`" from another table, or null when it cannot. `inner` may be compiled with
 * `toSql(inner, mapOfThatTable, params)`: its paths are `value`, `type` and so on. `always` asks for any value.
 */
export type ListRule = (inner: BoundValueFilter, params: unknown[], base: string) => string | null;

export interface ColumnMap {
  /** The jsonb expression with the resource (or the value); null when there is none. */
  readonly document: string | null;
  /** What the addresses of resources begin with: `https://…/scim/v2`. Left out: filters ask for their ends. */
  readonly base?: string;
  /** By canonical path: `userName`, `meta.created`, `name.familyName`. */
  readonly columns: Readonly<Record<string, ColumnRule>>;
  /** By attribute: `emails`, `members`, `groups`. */
  readonly lists: Readonly<Record<string, ListRule>>;
}
