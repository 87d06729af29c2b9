import type { Dialect } from '../dialects/dialects.js';
import type { PatchOp } from '../dialects/normalise.js';
import { readContext } from '../resource/context.js';
import { sameJson } from '../resource/equal.js';
import { readPlainList } from '../resource/values.js';
import type { Attribute } from '../schema/attribute.js';

/**
 * Applies an operation to a multi-valued attribute whose values are no objects (RFC 7644 §3.5.2). `remove` with a value
 * removes the listed values, without one it removes all.
 *
 * @param before the value of the attribute now
 * @returns the value after the operation: `before` itself when nothing changes, undefined for unassigned
 * @throws {ScimRequestError} invalidValue
 */
export function changePlainList(
  op: PatchOp,
  attribute: Attribute,
  before: unknown,
  value: unknown,
  dialect: Dialect,
): unknown {
  const old: readonly unknown[] = Array.isArray(before) ? before : [];
  const given = readPlainList(attribute, value, readContext(dialect)) ?? [];
  const after = changed(op, old, given, value === undefined || value === null);
  if (after.length === 0) return undefined;
  return sameJson(after, before) ? before : after;
}

function changed(
  op: PatchOp,
  old: readonly unknown[],
  given: readonly unknown[],
  namesNothing: boolean,
): readonly unknown[] {
  switch (op) {
    case 'add':
      return [...new Set([...old, ...given])];
    case 'replace':
      return given;
    case 'remove': {
      if (namesNothing) return [];
      const gone = new Set(given);
      return old.filter((item) => !gone.has(item));
    }
  }
}
