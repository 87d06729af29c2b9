import type { BoundValueFilter } from './bound.js';

/** A column that holds an attribute. */
export interface ColumnRule {
  /** The SQL expression, a constant of the source: `u.user_name_key`. */
  readonly sql: string;
  readonly type: 'text' | 'uuid' | 'boolean' | 'timestamptz' | 'integer';
  /** The column holds `key(text)`, not the text. Literals are converted by the same function, and not folded. */
  readonly key?: (text: string) => string;
  /** The column holds the end of an address. The whole address is `ColumnMap.base`, this path, and the column. */
  readonly path?: string;
  /** A condition; where it is false the value counts as missing. The column is nullable then. */
  readonly when?: string;
  /** Left out for NOT NULL columns: their comparisons stay in a form that every index supports. */
  readonly nullable?: boolean;
  /**
   * An expression that is never null and that has an index: lists are sorted by it. Missing values come last. For long
   * texts it can be the beginning of the text.
   */
  readonly sorted?: string;
  /** The length of the beginning in `sorted`, in characters: `eq` uses its index first. */
  readonly sortedCharacters?: number;
}

/**
 * Returns SQL for "some value matches `inner`" over another table, or null if that table cannot answer. `inner` can be
 * compiled with `toSql(inner, mapOfThatTable, params)`: its paths are `value`, `type` and so on. `always` matches any
 * value.
 */
type ListRule = (inner: BoundValueFilter, params: unknown[], base: string) => string | null;

/** How the attributes of a resource are stored, for filters in SQL. */
export interface ColumnMap {
  /** The jsonb expression with the resource (or the value); null when there is none. */
  readonly document: string | null;
  /**
   * The beginning of the addresses of resources: `https://…/scim/v2`. Left out: filters contain only the ends of
   * addresses.
   */
  readonly base?: string;
  /** By canonical path: `userName`, `meta.created`, `name.familyName`. */
  readonly columns: Readonly<Record<string, ColumnRule>>;
  /** By attribute: `emails`, `members`, `groups`. */
  readonly lists: Readonly<Record<string, ListRule>>;
}
