import type { Dialect } from '../dialects/dialects.js';
import { invalidSyntax, invalidValue } from '../scim.errors.js';

const MAX_DEPTH = 32;
const MAX_KEYS = 2000;

export interface KeyCounter {
  /** Object members so far; those of group members do not count, there may be a hundred thousand. */
  keys: number;
}

/** What is known while one body is read. */
export interface ReadContext extends KeyCounter {
  readonly dialect: Dialect;
}

export function readContext(dialect: Dialect): ReadContext {
  return { dialect, keys: 0 };
}

/** A counter that never ends, for what only the size of the body limits: the groups a client echoes, bulk data. */
export function uncounted(): KeyCounter {
  return { keys: Number.NEGATIVE_INFINITY };
}

/** @throws ScimRequestError invalidSyntax: more object members than any honest resource has */
export function countKeys(context: KeyCounter, more: number): void {
  context.keys += more;
  if (context.keys > MAX_KEYS) throw invalidSyntax(`A resource has at most ${MAX_KEYS} members.`);
}

/** Names that reach the prototype of an object, in any case: refused wherever a name is expected. */
export function isForbiddenName(name: string): boolean {
  const lower = name.toLowerCase();
  return lower === '__proto__' || lower === 'constructor' || lower === 'prototype';
}

export function refuseForbiddenName(name: string): void {
  if (isForbiddenName(name)) throw invalidSyntax(`"${name}" is not an attribute name.`);
}

/**
 * Decides about a member no schema knows: refused, or left out after a look at what it holds.
 *
 * @throws ScimRequestError invalidSyntax, invalidValue
 */
export function skipUnknown(name: string, value: unknown, context: ReadContext): void {
  refuseForbiddenName(name);
  if (!context.dialect.unknownAttributesIgnored) {
    throw invalidSyntax(`There is no attribute "${name.slice(0, 100)}".`);
  }
  inspect(value, context);
}

/**
 * Applies the limits to a value that is going to be dropped: it passed through the parser like any other, and what
 * must not be sent must not be sent there either.
 */
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
