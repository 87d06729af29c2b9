import type { Dialect } from '../dialects/dialects.js';
import { isObject, type JsonObject } from '../dialects/normalise.js';
import { equalities, type BoundValueFilter } from '../filter/bound.js';
import { readContext } from '../resource/context.js';
import { sameJson } from '../resource/equal.js';
import { identityOf } from '../resource/lists.js';
import { readComplex, readList, readSimple } from '../resource/values.js';
import type { Attribute } from '../schema/attribute.js';
import { noTarget } from '../scim.errors.js';
import type { AttributeTarget } from './target.js';
import { merged, oneObject, selected, settledValues, valuesOf, withSub } from './values.js';

/**
 * Applies `add` (RFC 7644 §3.5.2.1): sets a single value, sets the given parts of a complex value, appends to a list.
 * Where a value path selects nothing, the value is created from the filter: Entra ID adds a first work e-mail so.
 *
 * @param before the value of the attribute now
 * @returns the value after the operation: `before` itself when nothing changes, undefined for unassigned
 * @throws {ScimRequestError} invalidValue, mutability, noTarget (the filter does not determine a value)
 */
export function add(target: AttributeTarget, before: unknown, value: unknown, dialect: Dialect): unknown {
  const { attribute, sub, filter } = target;
  if (!attribute.multiValued) return setSingle(target, before, value, dialect);
  if (filter === null && sub === null) return appended(attribute, before, value, dialect);
  // Adding nothing to a list removes nothing.
  if (value === null || value === '') return before;
  const values = valuesOf(before);
  const places = selected(target, values);
  if (places.length === 0) return created(target, before, value, dialect);
  const context = readContext(dialect);
  const after: (JsonObject | undefined)[] = [...values];
  for (const place of places) {
    after[place] =
      sub === null
        ? merged(attribute, values[place], oneObject(attribute, value), dialect)
        : withSub(attribute, values[place], sub, value, context);
  }
  return settledValues(attribute, before, after, places, dialect);
}

/** Sets a single-valued attribute, or a part of one: `add` and `replace` are the same. */
export function setSingle(
  { attribute, sub }: AttributeTarget,
  before: unknown,
  value: unknown,
  dialect: Dialect,
): unknown {
  const object = isObject(before) ? before : undefined;
  if (sub !== null) return withSub(attribute, object, sub, value, readContext(dialect));
  if (attribute.type === 'complex') return merged(attribute, object, value, dialect);
  return readSimple(attribute, value, readContext(dialect), null);
}

/** Adds a value that matches the filter and contains `value`. */
export function created(target: AttributeTarget, before: unknown, value: unknown, dialect: Dialect): unknown {
  const { attribute, sub, filter } = target;
  const context = readContext(dialect);
  const base = filter === null ? {} : fromFilter(attribute, filter);
  const given = sub === null ? oneObject(attribute, value) : { [sub.name]: value };
  const made = readComplex(attribute, { ...base, ...canonical(attribute, given) }, context);
  return made === undefined ? before : appended(attribute, before, [made], dialect);
}

function appended(attribute: Attribute, before: unknown, value: unknown, dialect: Dialect): unknown {
  const given = readList(attribute, value, readContext(dialect), true);
  if (given === undefined) return before;
  const values: JsonObject[] = [...valuesOf(before)];
  const places = new Map(values.map((item, i) => [identityOf(attribute, item), i]));
  const touched: number[] = [];
  for (const item of given) {
    const identity = identityOf(attribute, item);
    const place = identity === null ? values.findIndex((each) => sameJson(each, item)) : (places.get(identity) ?? -1);
    if (place === -1) {
      places.set(identity, values.length);
      touched.push(values.push(item) - 1);
    } else if (attribute.subByName.get('value')?.mutability !== 'immutable') {
      values[place] = { ...values[place], ...item };
      touched.push(place);
    }
  }
  return settledValues(attribute, before, values, touched, dialect);
}

function fromFilter(attribute: Attribute, filter: BoundValueFilter): JsonObject {
  const terms = equalities(filter);
  if (terms === null)
    throw noTarget(`No value of "${attribute.name}" is selected, and none can be made of the filter.`);
  return Object.fromEntries(terms);
}

/** Returns the members of `value` by their canonical names, so that they replace those of the filter. */
function canonical(attribute: Attribute, value: unknown): JsonObject {
  if (!isObject(value)) return {};
  const result: JsonObject = {};
  for (const key of Object.keys(value)) {
    const name = attribute.subByName.get(key.toLowerCase())?.name ?? key;
    Object.defineProperty(result, name, { value: value[key], enumerable: true, configurable: true, writable: true });
  }
  return result;
}
