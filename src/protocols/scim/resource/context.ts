import type { Dialect } from '../dialects/dialects.js';
import { invalidSyntax, invalidValue } from '../scim.errors.js';

const MAX_DEPTH = 32;
const MAX_KEYS = 2000;

/** Counts the object members of a body. */
interface KeyCounter {
  /** Object members so far. Those of group members do not count: a group can have a hundred thousand. */
  keys: number;
}

/** The state of reading one body. */
export interface ReadContext extends KeyCounter {
  readonly dialect: Dialect;
}

/** Returns the context for reading one body. */
export function readContext(dialect: Dialect): ReadContext {
  return { dialect, keys: 0 };
}

/**
 * Returns a counter without a limit, for data that only the size of the body limits: groups that a client sends back,
 * bulk data.
 */
export function uncounted(): KeyCounter {
  return { keys: Number.NEGATIVE_INFINITY };
}

/**
 * Counts object members.
 *
 * @throws {ScimRequestError} invalidSyntax for more object members than a real resource has
 */
export function countKeys(context: KeyCounter, more: number): void {
  context.keys += more;
  if (context.keys > MAX_KEYS) throw invalidSyntax(`A resource has at most ${MAX_KEYS} members.`);
}

/** Returns whether a name reaches the prototype of an object, in any case. Such a name is refused everywhere. */
export function isForbiddenName(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === '__proto__' || lower === 'constructor' || lower === 'prototype';
}

/**
 * Refuses a name that reaches the prototype of an object.
 *
 * @throws {ScimRequestError} invalidSyntax
 */
export function refuseForbiddenName(name: string): void {
  if (isForbiddenName(name)) throw invalidSyntax(`"${name}" is not an attribute name.`);
}

/**
 * Handles a member that no schema declares: refuses it, or checks its value and drops it.
 *
 * @throws {ScimRequestError} invalidSyntax, invalidValue
 */
export function skipUnknown(name: string, value: unknown, context: ReadContext): void {
  refuseForbiddenName(name);
  if (!context.dialect.unknownAttributesIgnored) {
    throw invalidSyntax(`There is no attribute "${name.slice(0, 100)}".`);
  }
  inspect(value, context);
}

/** Applies the limits to a value that is dropped: it went through the parser like any other value. */
export function inspect(value: unknown, context: KeyCounter, depth = 2): void {
  if (typeof value === 'string') {
    if (value.includes('\u0000')) throw invalidValue('Text must not hold U+0000.');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw invalidSyntax(`A body has at most ${MAX_DEPTH} levels.`);
  if (Array.isArray(value)) {
    for (const item of value) inspect(item, context, depth + 1);
    return;
  }
  const keys = Object.keys(value);
  countKeys(context, keys.length);
  for (const key of keys) {
    refuseForbiddenName(key);
    inspect((value as Record<string, unknown>)[key], context, depth + 1);
  }
}
