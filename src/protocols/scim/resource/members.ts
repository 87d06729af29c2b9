import { isObject, type JsonObject } from '../dialects/normalise.js';
import { idFromReference } from '../dialects/quirks.js';
import type { Attribute } from '../schema/attribute.js';
import { invalidValue } from '../scim.errors.js';

/** A member in the form of the group: `value` is the id of a user or group of this directory. */
export interface Member {
  readonly value: string;
  readonly type?: 'User' | 'Group';
  readonly display?: string;
  readonly $ref?: string;
}

/** Returns whether an attribute is a list of references: a value is identified by its id, and never changes. */
export function isMemberList(attribute: Attribute): boolean {
  return attribute.subByName.get('value')?.mutability === 'immutable';
}

/** Converts a plain id, or a reference without an id, to `{value}`; returns other values unchanged. */
export function memberFromLoose(item: unknown): unknown {
  if (typeof item === 'string') return { value: item };
  if (!isObject(item) || !('$ref' in item)) return item;
  // An empty id is refused; it is not a missing id.
  if (item['value'] !== undefined && item['value'] !== null) return item;
  const id = idFromReference(item['$ref']);
  return id === null ? item : { ...item, value: id };
}

/**
 * Completes a member after reading: the id is present, `type` is `User`, `Group` or left out.
 *
 * @throws {ScimRequestError} invalidValue for a missing id
 */
export function settleMember(read: JsonObject | undefined): JsonObject {
  if (read === undefined || read['value'] === undefined) throw invalidValue('A member needs a "value".');
  const type = typeOf(read);
  if (type === read['type']) return read;
  const { type: _, ...member } = read;
  return type === undefined ? member : { ...member, type };
}

function typeOf(read: JsonObject): 'User' | 'Group' | undefined {
  const given = read['type'];
  if (given === undefined) {
    const reference = read['$ref'];
    return typeof reference === 'string' && reference.split('/').at(-2) === 'Groups' ? 'Group' : undefined;
  }
  const lower = typeof given === 'string' ? given.toLowerCase() : '';
  return lower === 'user' ? 'User' : lower === 'group' ? 'Group' : undefined;
}
