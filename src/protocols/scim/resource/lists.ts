import type { Dialect } from '../dialects/dialects.js';
import type { JsonObject } from '../dialects/normalise.js';
import type { Attribute } from '../schema/attribute.js';
import { invalidValue } from '../scim.errors.js';

/**
 * Applies the rules of RFC 7643 §2.4 to a list of values: each (type, value) pair once (a later one completes the
 * earlier), at most one `primary: true`.
 *
 * @throws {ScimRequestError} invalidValue for several primary values, unless the dialect accepts them
 */
export function settleList(attribute: Attribute, list: JsonObject[], dialect: Dialect): JsonObject[] {
  if (list.length < 2) return list;
  const distinct = withoutRepeats(attribute, list);
  return onePrimary(attribute, distinct, dialect);
}

/** Returns the identity of a value: equal texts are the same value; null for values without `value`. */
export function identityOf(attribute: Attribute, item: JsonObject): string | null {
  const value = item['value'];
  if (typeof value !== 'string') return null;
  // References of all types are one member.
  if (attribute.subByName.get('value')?.mutability === 'immutable') return value;
  const type = item['type'];
  // Stored text never contains U+0000.
  return `${typeof type === 'string' ? type : ''}\u0000${value}`;
}

/** Sets `primary: true` at `keep` only (RFC 7644 §3.5.2). */
export function primaryOnlyAt(list: readonly JsonObject[], keep: number): JsonObject[] {
  return list.map((item, i) => (i !== keep && item['primary'] === true ? { ...item, primary: false } : item));
}

function withoutRepeats(attribute: Attribute, list: JsonObject[]): JsonObject[] {
  const places = new Map<string, number>();
  const distinct: JsonObject[] = [];
  for (const item of list) {
    const identity = identityOf(attribute, item);
    const place = identity === null ? undefined : places.get(identity);
    if (place !== undefined) {
      distinct[place] = { ...distinct[place], ...item };
      continue;
    }
    if (identity !== null) places.set(identity, distinct.length);
    distinct.push(item);
  }
  return distinct.length === list.length ? list : distinct;
}

function onePrimary(attribute: Attribute, list: JsonObject[], dialect: Dialect): JsonObject[] {
  let last = -1;
  let count = 0;
  for (let i = 0; i < list.length; i++) {
    if (list[i]?.['primary'] !== true) continue;
    last = i;
    count++;
  }
  if (count < 2) return list;
  if (!dialect.severalPrimaries) {
    throw invalidValue(`Only one value of "${attribute.name}" can be the primary one.`);
  }
  return primaryOnlyAt(list, last);
}
