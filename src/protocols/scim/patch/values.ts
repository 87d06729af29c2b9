import type { Dialect } from '../dialects/dialects.js';
import { isObject, type JsonObject } from '../dialects/normalise.js';
import { matches } from '../filter/matches.js';
import { readContext, skipUnknown, type ReadContext } from '../resource/context.js';
import { sameJson } from '../resource/equal.js';
import { primaryOnlyAt, settleList } from '../resource/lists.js';
import { objectFor, readSimple } from '../resource/values.js';
import { lookUp, type Attribute } from '../schema/attribute.js';
import { invalidValue, mutability } from '../scim.errors.js';
import { withPart } from './draft.js';
import type { AttributeTarget } from './target.js';

/** Returns the current values of an attribute. */
export function valuesOf(before: unknown): readonly JsonObject[] {
  return Array.isArray(before) ? (before as JsonObject[]) : [];
}

/** Returns the positions of the values that the path selects; all without a filter. */
export function selected({ filter }: AttributeTarget, values: readonly JsonObject[]): number[] {
  const places: number[] = [];
  for (let i = 0; i < values.length; i++) if (filter === null || matches(filter, values[i])) places.push(i);
  return places;
}

/**
 * Sets the sub-attributes of `value` and keeps the others (RFC 7644 §3.5.2.1, §3.5.2.3). null unassigns a
 * sub-attribute.
 *
 * @returns `before` itself when nothing changes; undefined when nothing is left
 */
export function merged(
  attribute: Attribute,
  before: JsonObject | undefined,
  value: unknown,
  dialect: Dialect,
): JsonObject | undefined {
  const context = readContext(dialect);
  const source = objectFor(attribute, value, context);
  if (source === null) return undefined;
  let after = before;
  for (const key of Object.keys(source)) {
    const sub = lookUp(attribute.subByName, key);
    if (sub === undefined) skipUnknown(key, source[key], context);
    else if (sub.mutability !== 'readOnly') after = withSub(attribute, after, sub, source[key], context);
  }
  return after === before ? before : withoutStale(attribute, before, after, source);
}

/** Sets one sub-attribute, by the rules of `merged`. */
export function withSub(
  attribute: Attribute,
  before: JsonObject | undefined,
  sub: Attribute,
  value: unknown,
  context: ReadContext,
): JsonObject | undefined {
  const read = readSimple(sub, value, context, attribute);
  const old = before?.[sub.name];
  if (read === old) return before;
  if (sub.mutability === 'immutable' && old !== undefined) {
    throw mutability(`"${attribute.name}.${sub.name}" cannot be changed.`);
  }
  return withPart(before, sub.name, read);
}

/** Removes `$ref` and the name of a reference: they describe the previous value. */
function withoutStale(
  attribute: Attribute,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  source: JsonObject,
): JsonObject | undefined {
  if (!attribute.subByName.has('$ref') || after?.['value'] === before?.['value']) return after;
  const given = new Set(Object.keys(source).map((key) => key.toLowerCase()));
  let result = after;
  for (const name of ['$ref', 'display', 'displayName']) {
    if (result?.[name] !== undefined && !given.has(name.toLowerCase())) {
      result = withPart(result, name, undefined);
    }
  }
  return result;
}

/**
 * Completes a change of a multi-valued attribute: removes repeats, and leaves `primary` to the value that has just
 * become primary (RFC 7644 §3.5.2).
 *
 * @param touched positions in `values` that this operation wrote
 * @returns `before` itself when nothing changes; undefined when no value is left
 */
export function settledValues(
  attribute: Attribute,
  before: unknown,
  values: readonly (JsonObject | undefined)[],
  touched: readonly number[],
  dialect: Dialect,
): unknown {
  const primaries = touched.filter((place) => values[place]?.['primary'] === true);
  if (primaries.length > 1 && !dialect.severalPrimaries) {
    throw invalidValue(`Only one value of "${attribute.name}" can be the primary one.`);
  }
  const keep = primaries.at(-1);
  const kept = keep === undefined ? values : primaryOnlyAt(values.map(orEmpty), keep);
  const list = kept.filter((item) => item !== undefined && Object.keys(item).length > 0) as JsonObject[];
  if (list.length === 0) return undefined;
  const after = settleList(attribute, list, dialect);
  return sameJson(after, before) ? before : after;
}

/** Returns one object: for a value path the value can also be a list of one. */
export function oneObject(attribute: Attribute, value: unknown): unknown {
  const one: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (one !== null && one !== '' && !isObject(one)) {
    throw invalidValue(`A value of "${attribute.name}" must be an object.`);
  }
  return one;
}

function orEmpty(item: JsonObject | undefined): JsonObject {
  return item ?? {};
}
