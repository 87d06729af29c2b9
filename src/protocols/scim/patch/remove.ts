import type { Dialect } from '../dialects/dialects.js';
import { isObject, type JsonObject } from '../dialects/normalise.js';
import { textKey } from '../filter/resolve.js';
import { lookUp, type Attribute } from '../schema/attribute.js';
import { invalidValue, mutability } from '../scim.errors.js';
import { withPart } from './draft.js';
import type { AttributeTarget } from './target.js';
import { selected, settledValues, valuesOf } from './values.js';

/**
 * Applies `remove` (RFC 7644 §3.5.2.2): unassigns an attribute, a part of it, or the values that a value path selects.
 * A missing value counts as removed.
 *
 * @param value has no meaning in the RFC; some clients list the values to remove in it
 * @returns the value after the operation: `before` itself when nothing changes, undefined for unassigned
 * @throws {ScimRequestError} mutability for a required attribute; invalidValue for a list of values, by dialect
 */
export function remove(target: AttributeTarget, before: unknown, value: unknown, dialect: Dialect): unknown {
  const { attribute, sub, filter } = target;
  if (sub === null ? attribute.required : sub.required) {
    throw mutability(`"${(sub ?? attribute).name}" is required and cannot be removed.`);
  }
  if (before === undefined) return undefined;
  if (!attribute.multiValued) {
    if (sub === null) return undefined;
    return isObject(before) && before[sub.name] !== undefined ? withPart(before, sub.name, undefined) : before;
  }
  const values = valuesOf(before);
  if (sub !== null) return withoutSub(target, sub, before, values, dialect);
  if (filter === null && value !== undefined && value !== null) {
    return withoutListed(attribute, before, values, value, dialect);
  }
  const gone = new Set(selected(target, values));
  const left = values.filter((_, i) => !gone.has(i));
  return settledValues(attribute, before, left, [], dialect);
}

function withoutSub(
  target: AttributeTarget,
  sub: Attribute,
  before: unknown,
  values: readonly JsonObject[],
  dialect: Dialect,
): unknown {
  const { attribute } = target;
  const after: (JsonObject | undefined)[] = [...values];
  for (const place of selected(target, values)) {
    if (values[place]?.[sub.name] === undefined) continue;
    if (sub.mutability === 'immutable') throw mutability(`"${attribute.name}.${sub.name}" cannot be changed.`);
    after[place] = withPart(values[place], sub.name, undefined);
  }
  return settledValues(attribute, before, after, [], dialect);
}

/** Removes listed values. An empty list removes nothing: other servers read it as "all" and emptied groups. */
function withoutListed(
  attribute: Attribute,
  before: unknown,
  values: readonly JsonObject[],
  listed: unknown,
  dialect: Dialect,
): unknown {
  if (!dialect.valueListRemoves) {
    throw invalidValue('"remove" takes no value; select the values with a path like emails[value eq "…"].');
  }
  const items: unknown[] = Array.isArray(listed) ? listed : [listed];
  const left = values.filter((item) => !items.some((wanted) => isMeant(attribute, item, wanted)));
  return settledValues(attribute, before, left, [], dialect);
}

/** Returns whether `item` has every part of `wanted`; a text is a `value`. */
function isMeant(attribute: Attribute, item: JsonObject, wanted: unknown): boolean {
  if (typeof wanted === 'string')
    return wanted !== '' && isSame(attribute.subByName.get('value'), item['value'], wanted);
  if (!isObject(wanted)) throw invalidValue(`A value of "${attribute.name}" must be an object.`);
  let named = false;
  for (const key of Object.keys(wanted)) {
    const sub = lookUp(attribute.subByName, key);
    const part = wanted[key];
    // References and names do not identify a value; null is ignored.
    if (sub === undefined || part === null || part === '' || sub.name === '$ref' || sub.name === 'display') continue;
    if (!isSame(sub, item[sub.name], part)) return false;
    named = true;
  }
  return named;
}

function isSame(sub: Attribute | undefined, value: unknown, wanted: unknown): boolean {
  if (sub === undefined) return false;
  if (typeof value === 'string' && typeof wanted === 'string') {
    return textKey(sub, value) === textKey(sub, wanted);
  }
  return value === wanted;
}
