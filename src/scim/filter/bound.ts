import type { Attribute } from '../schema/attribute.js';
import type { CompareOp } from './ast.js';

/** Where a value lies, seen from the resource, or from one value of a multi-valued attribute. */
export interface BoundPath {
  /**
   * The canonical spelling: `name.familyName`, `urn:…:User:manager.value`; inside a value path just `type`.
   * Empty for the value itself.
   */
  readonly path: string;
  /** The keys that lead there. */
  readonly keys: readonly string[];
  readonly attribute: Attribute;
}

/**
 * A filter whose names are attributes, reduced to what a resource can be asked:
 * - `compare`: of a single value; where there is none, only `ne` is true
 * - `present`: a non-empty value
 * - `some`: at least one value of a multi-valued attribute meets `filter`, whose paths start at that value
 * - `always`: true; as the filter of `some` it asks for any value at all
 */
export type BoundFilter =
  | { readonly kind: 'and' | 'or'; readonly terms: readonly BoundFilter[] }
  | { readonly kind: 'not'; readonly term: BoundFilter }
  | { readonly kind: 'always' }
  | { readonly kind: 'present'; readonly target: BoundPath }
  | BoundComparison
  | { readonly kind: 'some'; readonly target: BoundPath; readonly filter: BoundValueFilter };

export interface BoundComparison {
  readonly kind: 'compare';
  readonly target: BoundPath;
  readonly op: CompareOp;
  /** As the client wrote it; a boolean for boolean attributes. */
  readonly value: string | number | boolean;
  /** As it is compared: folded text, or milliseconds since 1970 for a dateTime. */
  readonly key: string | number | boolean;
}

/** A filter on one value of a multi-valued attribute. */
export type BoundValueFilter = BoundFilter;

/**
 * Reads a filter that is nothing but `a eq 1 and b eq 2 …` as a map from path to value; null for any other.
 * For callers that answer such filters from an index, or make a value that meets it.
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
