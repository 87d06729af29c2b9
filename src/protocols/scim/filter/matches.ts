import { compareCodePoints, parseDateTime } from '../text.js';
import type { BoundComparison, BoundFilter } from './bound.js';
import { textKey } from './resolve.js';

/**
 * Returns whether a resource, or one value of a multi-valued attribute, matches a filter (RFC 7644 §3.4.2.2).
 *
 * `to-sql.ts` is the same function in SQL. Both are two-valued: a comparison with a missing value is false, except
 * `ne`, and `not` inverts that.
 */
export function matches(filter: BoundFilter, node: unknown): boolean {
  switch (filter.kind) {
    case 'and':
      return filter.terms.every((term) => matches(term, node));
    case 'or':
      return filter.terms.some((term) => matches(term, node));
    case 'not':
      return !matches(filter.term, node);
    case 'always':
      return true;
    case 'present':
      return isPresent(valueAt(node, filter.target.keys));
    case 'some': {
      const values = valueAt(node, filter.target.keys);
      return Array.isArray(values) && values.some((value) => matches(filter.filter, value));
    }
    case 'compare':
      return compare(filter, valueAt(node, filter.target.keys));
  }
}

/**
 * Returns whether a value is present: not null, not empty, and not made of such parts only (RFC 7643 §2.5, RFC 7644
 * §3.4.2.2 "pr").
 */
function isPresent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (Array.isArray(value)) return value.some(isPresent);
  if (typeof value === 'object') return Object.values(value).some(isPresent);
  return true;
}

function compare({ target, op, key }: BoundComparison, raw: unknown): boolean {
  const value = comparable(target.attribute, raw);
  if (value === undefined) return op === 'ne';
  switch (op) {
    case 'eq':
      return value === key;
    case 'ne':
      return value !== key;
    case 'co':
      return String(value).includes(String(key));
    case 'sw':
      return String(value).startsWith(String(key));
    case 'ew':
      return String(value).endsWith(String(key));
    case 'gt':
      return order(value, key) > 0;
    case 'ge':
      return order(value, key) >= 0;
    case 'lt':
      return order(value, key) < 0;
    case 'le':
      return order(value, key) <= 0;
  }
}

function comparable(
  attribute: BoundComparison['target']['attribute'],
  raw: unknown,
): string | number | boolean | undefined {
  if (typeof raw === 'string') {
    if (attribute.type === 'dateTime') return parseDateTime(raw);
    return textKey(attribute, raw);
  }
  return typeof raw === 'boolean' || typeof raw === 'number' ? raw : undefined;
}

function order(a: string | number | boolean, b: string | number | boolean): number {
  if (typeof a === 'string' && typeof b === 'string') return compareCodePoints(a, b);
  return Number(a) - Number(b);
}

function valueAt(node: unknown, keys: readonly string[]): unknown {
  let value = node;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
