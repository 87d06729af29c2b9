import type { Dialect } from '../dialects/dialects.js';
import type { JsonObject } from '../dialects/normalise.js';
import { readContext } from '../resource/context.js';
import { readComplex, readList } from '../resource/values.js';
import type { Attribute } from '../schema/attribute.js';
import { mutability, noTarget } from '../scim.errors.js';
import { created, setSingle } from './add.js';
import type { AttributeTarget } from './target.js';
import { oneObject, selected, settledValues, valuesOf, withSub } from './values.js';

/**
 * Applies `replace` (RFC 7644 §3.5.2.3): sets a single value, the given parts of a complex value, a whole list, or the
 * values that a value path selects. A missing value is added.
 *
 * @param before the value of the attribute now
 * @returns the value after the operation: `before` itself when nothing changes, undefined for unassigned
 * @throws {ScimRequestError} invalidValue, mutability; noTarget when the value path selects nothing
 */
export function replace(target: AttributeTarget, before: unknown, value: unknown, dialect: Dialect): unknown {
  const { attribute, sub, filter } = target;
  if (!attribute.multiValued) return setSingle(target, before, value, dialect);
  if (filter === null && sub === null) {
    const list = readList(attribute, value, readContext(dialect), true);
    return list === undefined ? undefined : settledValues(attribute, before, list, [], dialect);
  }
  const values = valuesOf(before);
  const places = selected(target, values);
  if (places.length === 0) {
    if (filter !== null && !dialect.replaceCreatesMissing) {
      throw noTarget(`No value of "${attribute.name}" is selected by the path.`);
    }
    return created(target, before, value, dialect);
  }
  const context = readContext(dialect);
  const after: (JsonObject | undefined)[] = [...values];
  // Selected values are replaced as a whole, not merged.
  const whole = sub === null ? readComplex(attribute, oneObject(attribute, value), context) : undefined;
  for (const place of places) {
    const old = values[place];
    if (sub !== null) after[place] = withSub(attribute, old, sub, value, context);
    else after[place] = inPlaceOf(attribute, old, whole);
  }
  return settledValues(attribute, before, after, places, dialect);
}

function inPlaceOf(
  attribute: Attribute,
  old: JsonObject | undefined,
  whole: JsonObject | undefined,
): JsonObject | undefined {
  for (const sub of attribute.subAttributes) {
    if (whole !== undefined && sub.mutability === 'immutable' && old?.[sub.name] !== whole[sub.name]) {
      throw mutability(`"${attribute.name}.${sub.name}" cannot be changed.`);
    }
  }
  return whole;
}
