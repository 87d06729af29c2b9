import { lookUp } from '../schema/attribute.js';
import { findAttribute, attributePathOf, type ResourceTypeDef } from '../schema/resource-types.js';
import { invalidPath } from '../scim.errors.js';
import type { BoundPath } from './bound.js';
import { parsePath } from './tokens.js';
import type { ColumnMap, ColumnRule } from './column-map.js';
import { documentText, documentValues, folded } from './to-sql.js';

/** An ORDER BY expression. */
interface SortSql {
  /** The expression to sort by; it takes no parameters. */
  readonly sql: string;
  readonly direction: 'asc' | 'desc';
  /** Missing values come last in ascending order, first in descending order. */
  readonly nulls: 'first' | 'last';
  /** The SQL type in which the expression is compared. */
  readonly type: 'text' | 'boolean' | 'timestamptz' | 'integer' | 'numeric';
  /** An index has this order, and the expression is never null. */
  readonly indexed: boolean;
}

/**
 * Compiles `sortBy` and `sortOrder` (RFC 7644 §3.4.2.3) to an ORDER BY expression. For a multi-valued attribute the
 * primary value is used, else the first. Text is sorted by code point, and folded unless the attribute is case exact.
 *
 * @throws {ScimRequestError} invalidPath for an unknown attribute, or one without an order
 */
export function sortToSql(
  path: string,
  type: ResourceTypeDef,
  map: ColumnMap,
  order: 'ascending' | 'descending',
): SortSql {
  const { top, target } = locate(path, type);
  const column = top === null ? columnOf(target, map) : undefined;
  return {
    sql: column?.sorted ?? (top === null ? single(target, map) : ofValues(top, target, map)),
    type: typeOf(target, column),
    indexed: column?.sorted !== undefined,
    direction: order === 'ascending' ? 'asc' : 'desc',
    nulls: order === 'ascending' ? 'last' : 'first',
  };
}

/**
 * Returns the bound attribute of `sortBy`. `top` is the multi-valued attribute, and `target` is then relative to one of
 * its values; `top` is null for a single value.
 */
function locate(text: string, type: ResourceTypeDef): { top: BoundPath | null; target: BoundPath } {
  const path = parsePath(text.trim(), invalidPath);
  const attribute = findAttribute(type, path.urn, path.attr);
  if (attribute === undefined || attribute.returned === 'never') throw unsortable(text);
  const keys = attribute.extension === null ? [attribute.name] : [attribute.extension, attribute.name];
  const base: BoundPath = { path: attributePathOf(attribute), keys, attribute };
  if (attribute.type !== 'complex') {
    if (path.sub !== null || attribute.multiValued) throw unsortable(text);
    return { top: null, target: base };
  }
  const sub = lookUp(attribute.subByName, path.sub ?? 'value');
  if (sub === undefined) throw unsortable(text);
  if (attribute.multiValued) {
    return { top: base, target: { path: sub.name, keys: [sub.name], attribute: sub } };
  }
  const target = { path: attributePathOf(attribute, sub), keys: [...keys, sub.name], attribute: sub };
  return { top: null, target };
}

function single(target: BoundPath, map: ColumnMap): string {
  const column = columnOf(target, map);
  if (column === undefined) {
    return map.document === null ? 'null::text' : inDocument(target, map.document);
  }
  if (column.type === 'uuid') return `(${column.sql}::text collate "C")`;
  if (column.type !== 'text') return column.sql;
  const text = column.key === undefined ? folded(target, column.sql) : column.sql;
  return `(${text} collate "C")`;
}

function inDocument(target: BoundPath, document: string): string {
  const raw = documentText(document, target.keys);
  switch (target.attribute.type) {
    case 'dateTime':
      return `${raw}::timestamptz`;
    case 'integer':
    case 'decimal':
      return `${raw}::numeric`;
    default:
      return `(${folded(target, raw)} collate "C")`;
  }
}

function ofValues(top: BoundPath, target: BoundPath, map: ColumnMap): string {
  if (map.document === null) return 'null::text';
  const values = documentValues(map.document, top.keys);
  // false sorts before true; null counts as not primary.
  const primaryFirst = `coalesce(e.v ->> 'primary' = 'true', false) desc, e.n`;
  return (
    `(select ${inDocument(target, 'e.v')} from ${values} with ordinality as e(v, n)` +
    ` order by ${primaryFirst} limit 1)`
  );
}

function columnOf({ path }: BoundPath, map: ColumnMap): ColumnRule | undefined {
  return Object.hasOwn(map.columns, path) ? map.columns[path] : undefined;
}

function typeOf({ attribute }: BoundPath, column: ColumnRule | undefined): SortSql['type'] {
  if (column !== undefined) return column.type === 'uuid' ? 'text' : column.type;
  if (attribute.type === 'dateTime') return 'timestamptz';
  return attribute.type === 'integer' || attribute.type === 'decimal' ? 'numeric' : 'text';
}

function unsortable(path: string) {
  return invalidPath(`Resources cannot be sorted by "${path.slice(0, 60)}".`);
}
