import { isObject, type JsonObject } from '../dialects/normalise.js';
import { idFromReference } from '../dialects/quirks.js';
import type { Attribute } from '../schema/attribute.js';
import { invalidValue } from '../scim.errors.js';

/** A member as the group names it: `value` is the id of a user or a group of this directory. */
export interface Member {
  readonly value: string;
  readonly type?: 'User' | 'Group';
  readonly display?: string;
  readonly $ref?: string;
}

/** Lists of references: a value there is known by its id alone, and nothing in it ever changes. */
export function isMemberList(attribute: Attribute): boolean {
  return attribute.subByName.get('value')?.mutability === 'immutable';
}

/** A plain id, or a reference without an id → `{value}`; anything else is returned as it came. */
export function memberFromLoose(item: unknown): unknown {
  if (typeof item === 'string') return { value: item };
  if (!isObject(item) || !('$ref' in item)) return item;
  // An empty id is a mistake, not a missing one.
  if (item['value'] !== undefined && item['value'] !== null) return item;
  const id = idFromReference(item['$ref']);
  return id === null ? item : { ...item, value: id };
}

/**
 * Completes a member that has been read: the id is there, `type` is `User`, `Group` or left out.
 *
 * @throws ScimRequestError invalidValue: no id
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
