import { booleanFromText } from '../dialects/quirks.js';
import { lookUp, type Attribute } from '../schema/attribute.js';
import { findAttribute, attributePathOf, type ResourceTypeDef } from '../schema/resource-types.js';
import { invalidFilter } from '../scim.errors.js';
import { foldCase, parseDateTime, userNameKey } from '../text.js';
import type { AttributePath, CompareOp, Filter, Literal } from './ast.js';
import type { BoundFilter, BoundPath, BoundValueFilter } from './bound.js';
import { printPath } from './print.js';

/** Leniencies for the literals of a filter. */
interface ResolveOptions {
  /** "True" means true: Entra ID sends `primary eq "True"`. */
  readonly booleansAsStrings: boolean;
}

/**
 * Binds a filter to the attributes of a resource type (RFC 7644 §3.4.2.2, §3.10).
 *
 * @throws {ScimRequestError} invalidFilter for an unknown attribute, or a comparison that its type does not have
 */
export function resolveFilter(filter: Filter, type: ResourceTypeDef, options: ResolveOptions): BoundFilter {
  return bind(filter, options, (path) => locateInResource(path, type));
}

/** Binds the filter of a value path: its names are sub-attributes of `attribute`. */
export function resolveValueFilter(filter: Filter, attribute: Attribute, options: ResolveOptions): BoundValueFilter {
  return bind(filter, options, (path) => locateInValue(path, attribute, NOTHING));
}

/** Returns the form of a text in which values of the attribute are compared (RFC 7643 §2.2 caseExact, RFC 7644 §5). */
export function textKey(attribute: Attribute, text: string): string {
  if (attribute.caseExact) return text;
  return attribute.comparedAsUserName ? userNameKey(text) : foldCase(text);
}

/** An attribute, and its sub-attribute if the path names one. */
interface Located {
  readonly base: BoundPath;
  readonly sub: Attribute | null;
}

type Locate = (path: AttributePath) => Located;

const NOTHING: Pick<BoundPath, 'path' | 'keys'> = { path: '', keys: [] };

function bind(filter: Filter, options: ResolveOptions, locate: Locate): BoundFilter {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return {
        kind: filter.kind,
        terms: filter.terms.map((term) => bind(term, options, locate)),
      };
    case 'not':
      return { kind: 'not', term: bind(filter.term, options, locate) };
    case 'valuePath':
      return bindValuePath(locate(filter.path), filter, options);
    case 'present': {
      const { base, sub } = locate(filter.path);
      if (sub === null) return { kind: 'present', target: base };
      if (!base.attribute.multiValued) return { kind: 'present', target: child(base, sub) };
      return { kind: 'some', target: base, filter: { kind: 'present', target: child(NOTHING, sub) } };
    }
    case 'compare':
      return bindComparison(locate(filter.path), filter, options);
  }
}

function bindValuePath(
  { base, sub }: Located,
  filter: Extract<Filter, { kind: 'valuePath' }>,
  options: ResolveOptions,
): BoundFilter {
  const { attribute } = base;
  if (sub !== null || attribute.type !== 'complex') {
    throw invalidFilter(`"${printPath(filter.path)}" has no values to select from.`);
  }
  if (attribute.multiValued) {
    return { kind: 'some', target: base, filter: resolveValueFilter(filter.filter, attribute, options) };
  }
  return bind(filter.filter, options, (path) => locateInValue(path, attribute, base));
}

/**
 * Binds a comparison. For a multi-valued attribute one matching value is enough. `ne` also matches when the attribute
 * has no value, as for a single value.
 */
function bindComparison(
  { base, sub: named }: Located,
  { op, value, path }: Extract<Filter, { kind: 'compare' }>,
  options: ResolveOptions,
): BoundFilter {
  // `emails eq`, `members eq` and `manager eq` use the sub-attribute `value`: Ping, Entra ID and AWS send that.
  const sub = named ?? defaultSub(base.attribute, path);
  const { multiValued } = base.attribute;
  const target = targetOf(base, sub);
  const met = comparison(target, op, value, options);
  if (!multiValued) return met;
  if (met.kind === 'not') return { kind: 'not', term: { kind: 'some', target: base, filter: met.term } };
  const some: BoundFilter = { kind: 'some', target: base, filter: met };
  if (op !== 'ne' || value === null) return some;
  return { kind: 'or', terms: [{ kind: 'not', term: { kind: 'present', target: base } }, some] };
}

function targetOf(base: BoundPath, sub: Attribute | null): BoundPath {
  if (!base.attribute.multiValued) return sub === null ? base : child(base, sub);
  // A value of a simple multi-valued attribute is a plain text.
  return sub === null ? { ...NOTHING, attribute: base.attribute } : child(NOTHING, sub);
}

function comparison(target: BoundPath, op: CompareOp, value: Literal, options: ResolveOptions): BoundFilter {
  if (value === null) {
    // Unassigned and null are one state (RFC 7643 §2.5).
    const present: BoundFilter = { kind: 'present', target };
    if (op === 'eq') return { kind: 'not', term: present };
    if (op === 'ne') return present;
    throw misfit(target, op, value);
  }
  const { attribute } = target;
  switch (attribute.type) {
    case 'boolean': {
      const truth = options.booleansAsStrings ? booleanFromText(value) : value;
      if (typeof truth !== 'boolean' || (op !== 'eq' && op !== 'ne')) throw misfit(target, op, value);
      return { kind: 'compare', target, op, value: truth, key: truth };
    }
    case 'integer':
    case 'decimal':
      if (typeof value !== 'number' || isTextual(op)) throw misfit(target, op, value);
      return { kind: 'compare', target, op, value, key: value };
    case 'dateTime': {
      const time = typeof value === 'string' ? parseDateTime(value) : Number.NaN;
      if (Number.isNaN(time) || isTextual(op)) throw misfit(target, op, value);
      return { kind: 'compare', target, op, value, key: time };
    }
    case 'binary':
      if (typeof value !== 'string' || (op !== 'eq' && op !== 'ne')) throw misfit(target, op, value);
      return { kind: 'compare', target, op, value, key: value };
    case 'string':
    case 'reference':
      if (typeof value !== 'string') throw misfit(target, op, value);
      return { kind: 'compare', target, op, value, key: textKey(attribute, value) };
    case 'complex':
      throw misfit(target, op, value);
  }
}

function isTextual(op: CompareOp): boolean {
  return op === 'co' || op === 'sw' || op === 'ew';
}

function locateInResource(path: AttributePath, type: ResourceTypeDef): Located {
  const attribute = findAttribute(type, path.urn, path.attr);
  // Filters must not reveal write-only values.
  if (attribute === undefined || attribute.returned === 'never') throw unknown(path);
  const keys = attribute.extension === null ? [attribute.name] : [attribute.extension, attribute.name];
  return withSub({ path: attributePathOf(attribute), keys, attribute }, path);
}

function locateInValue(path: AttributePath, attribute: Attribute, parent: Pick<BoundPath, 'path' | 'keys'>): Located {
  const sub = path.urn === null ? lookUp(attribute.subByName, path.attr) : undefined;
  if (sub === undefined || path.sub !== null) throw unknown(path);
  return { base: child(parent, sub), sub: null };
}

function withSub(base: BoundPath, path: AttributePath): Located {
  if (path.sub === null) return { base, sub: null };
  const sub = lookUp(base.attribute.subByName, path.sub);
  if (sub === undefined) throw unknown(path);
  return { base, sub };
}

function defaultSub(attribute: Attribute, path: AttributePath): Attribute | null {
  if (attribute.type !== 'complex') return null;
  const value = attribute.subByName.get('value');
  if (value === undefined) throw invalidFilter(`"${printPath(path)}" needs a sub-attribute.`);
  return value;
}

function child(parent: Pick<BoundPath, 'path' | 'keys'>, sub: Attribute): BoundPath {
  return {
    path: parent.path === '' ? sub.name : `${parent.path}.${sub.name}`,
    keys: [...parent.keys, sub.name],
    attribute: sub,
  };
}

function unknown(path: AttributePath) {
  return invalidFilter(`There is no attribute "${printPath(path).slice(0, 200)}" to filter on.`);
}

function misfit(target: BoundPath, op: CompareOp, value: Literal) {
  const what = value === null ? 'null' : `a ${typeof value}`;
  return invalidFilter(
    `"${target.path}" (${target.attribute.type}) cannot be compared by "${op}" with ${what} like this.`,
  );
}
