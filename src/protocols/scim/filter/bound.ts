import type { Attribute } from '../schema/attribute.js';
import type { CompareOp } from './ast.js';

/** The position of a value in the resource, or in one value of a multi-valued attribute. */
export interface BoundPath {
  /**
   * The canonical spelling: `name.familyName`, `urn:…:User:manager.value`; inside a value path just `type`.
   * Empty for the value itself.
   */
  readonly path: string;
  /** The keys of the value, from the outside in. */
  readonly keys: readonly string[];
  readonly attribute: Attribute;
}

/**
 * A filter whose names are bound to attributes:
 * - `compare`: compares a single value; without a value, only `ne` is true
 * - `present`: a non-empty value exists
 * - `some`: at least one value of a multi-valued attribute matches `filter`, whose paths start at that value
 * - `always`: true; as the filter of `some` it matches any value
 */
export type BoundFilter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly BoundFilter[] }
  | { readonly kind: 'not'; readonly term: BoundFilter }
  | { readonly kind: 'always' }
  | { readonly kind: 'present'; readonly target: BoundPath }
  | BoundComparison
  | { readonly kind: 'some'; readonly target: BoundPath; readonly filter: BoundValueFilter };

/** A comparison of one attribute with a literal. */
export interface BoundComparison {
  readonly kind: 'compare';
  readonly target: BoundPath;
  readonly op: CompareOp;
  /** As the client wrote it; a boolean for boolean attributes. */
  readonly value: string | number | boolean;
  /** The form for comparisons: folded text, or milliseconds since 1970 for a dateTime. */
  readonly key: string | number | boolean;
}

/** A filter on one value of a multi-valued attribute. */
export type BoundValueFilter = BoundFilter;

/**
 * Converts a filter of the form `a eq 1 and b eq 2 …` to a map from path to value; null for any other filter. For
 * callers that use an index, or create a value that matches.
 */
export function equalities(filter: BoundFilter): Map<string, string | number | boolean> | null {
  const found = new Map<string, string | number | boolean>();
  return collect(filter, found) ? found : null;
}

function collect(filter: BoundFilter, into: Map<string, string | number | boolean>): boolean {
  if (filter.kind === 'and') return filter.terms.every((term) => collect(term, into));
  if (filter.kind !== 'compare' || filter.op !== 'eq') return false;
  const known = into.get(filter.target.path);
  into.set(filter.target.path, filter.value);
  return known === undefined || known === filter.value;
}
