import type { AttributePath, Filter } from '../../../protocols/scim/filter/ast.js';
import { parsePath } from '../../../protocols/scim/filter/tokens.js';
import { findAttribute, type ResourceTypeDef } from '../../../protocols/scim/schema/resource-types.js';
import { invalidPath } from '../../../protocols/scim/scim.errors.js';

const ALWAYS: Filter = { kind: 'present', path: { urn: null, attr: 'id', sub: null } };
const NEVER: Filter = { kind: 'not', term: ALWAYS };

/**
 * Returns a filter on all resource types as it applies to one of them. An attribute that only another type has is
 * unassigned (RFC 7644 §3.4.2.1). An attribute that no type has stays in the filter, which is then refused.
 */
export function filterFor(types: readonly ResourceTypeDef[], type: ResourceTypeDef, filter: Filter): Filter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return { kind: filter.kind, terms: filter.terms.map((term) => filterFor(types, type, term)) };
    case 'not':
      return { kind: 'not', term: filterFor(types, type, filter.term) };
    case 'present':
    case 'valuePath':
      return isForeign(types, type, filter.path) ? NEVER : filter;
    case 'compare': {
      if (!isForeign(types, type, filter.path)) return filter;
      return (filter.op === 'ne') === (filter.value !== null) ? ALWAYS : NEVER;
    }
  }
}

/** Returns the attribute to sort a resource type by; undefined where only another type has it. */
export function sortFor(
  types: readonly ResourceTypeDef[],
  type: ResourceTypeDef,
  sortBy: string | undefined,
): string | undefined {
  if (sortBy === undefined) return undefined;
  return isForeign(types, type, parsePath(sortBy.trim(), invalidPath)) ? undefined : sortBy;
}

function isForeign(types: readonly ResourceTypeDef[], type: ResourceTypeDef, { urn, attr }: AttributePath): boolean {
  if (findAttribute(type, urn, attr) !== undefined) return false;
  return types.some((other) => findAttribute(other, urn, attr) !== undefined);
}
