import type { Dialect } from '../dialects/dialects.js';
import { isObject, type PatchOp, type PatchOperation } from '../dialects/normalise.js';
import { matches } from '../filter/matches.js';
import { inspect, readContext, refuseForbiddenName, skipUnknown, uncounted } from '../resource/context.js';
import { sameJson } from '../resource/equal.js';
import { readSimple, readPlainList } from '../resource/values.js';
import { lookUp, type Attribute } from '../schema/attribute.js';
import { findSchema, type Resource, type ResourceTypeDef } from '../schema/resource-types.js';
import { invalidPath, invalidValue, mutability, noTarget } from '../scim.errors.js';
import { add } from './add.js';
import { ResourceDraft } from './draft.js';
import { remove } from './remove.js';
import { replace } from './replace.js';
import { findTarget, requireWritable, type AttributeTarget, type Target } from './target.js';

export type { PatchOp, PatchOperation } from '../dialects/normalise.js';

/** The leniencies of a PATCH: a dialect. */
export type PatchOptions = Dialect;

/**
 * Applies the operations of a PATCH in their order, all or none (RFC 7644 §3.5.2).
 *
 * @param resource is not modified; unchanged parts are shared with the result
 * @returns the resource after the last operation, and whether it differs from the one before; if not, it is the same
 * object
 * @throws {ScimRequestError} noTarget, invalidPath, invalidValue, invalidFilter, invalidSyntax, mutability
 */
export function applyPatch(
  type: ResourceTypeDef,
  resource: Resource,
  operations: readonly PatchOperation[],
  options: PatchOptions,
): { resource: Resource; changed: boolean } {
  const draft = new ResourceDraft(type, resource);
  draft.refuseTooMuch(operations);
  for (const { op, path, value } of operations) {
    if (path === undefined) applyToResource(draft, op, value, options);
    else applyToPath(draft, op, path, value, options);
  }
  return draft.finish();
}

function applyToPath(draft: ResourceDraft, op: PatchOp, path: string, value: unknown, options: PatchOptions): void {
  const target = findTarget(draft.type, path, options);
  if (target === null) throw invalidPath(`There is no attribute "${path.slice(0, 200)}".`);
  if (target.kind === 'attribute') {
    // `schemas` is computed from the resource, so a value of the client has no effect.
    if (target.attribute.name === 'schemas' && op !== 'remove') return;
    requireWritable(target);
  }
  applyToTarget(draft, op, target, value, options);
}

function applyToTarget(draft: ResourceDraft, op: PatchOp, target: Target, value: unknown, options: PatchOptions): void {
  if (target.kind === 'extension') {
    applyToExtension(draft, op, target.schema.urn, value, options);
    return;
  }
  const { attribute } = target;
  if (attribute.returned === 'never') {
    if (!options.passwordPatchDropped) {
      throw mutability('Passwords cannot be changed here (changePassword is not supported).');
    }
    // The password has to be a text; it is dropped.
    if (op !== 'remove') readSimple(attribute, value, readContext(options), null);
    return;
  }
  const before = draft.read(attribute);
  // Only the removal of the present value says the same with a value path as without one.
  if (target.filter !== null && !attribute.multiValued && (op !== 'remove' || !matches(target.filter, before))) {
    throw invalidPath(`"${attribute.name}" has no values to select from.`);
  }
  draft.spend(comparisons(op, target, before, value));
  const after = operate(op, target, before, value, options);
  if (after === undefined && attribute.alwaysAssigned) {
    throw invalidValue(`"${attribute.name}" cannot be cleared; send true or false.`);
  }
  if (after !== before) draft.write(attribute, after);
}

/**
 * Returns the most comparisons of an operation: a value path with each existing value, a list in the request with each
 * as well.
 */
function comparisons(op: PatchOp, { filter }: AttributeTarget, before: unknown, value: unknown): number {
  if (!Array.isArray(before)) return 1;
  const sent = Array.isArray(value) ? value.length : 1;
  return filter === null && op === 'replace' ? before.length + sent : before.length * sent;
}

function operate(
  op: PatchOp,
  target: AttributeTarget,
  before: unknown,
  value: unknown,
  options: PatchOptions,
): unknown {
  const { attribute } = target;
  if (attribute.multiValued && attribute.type !== 'complex' && attribute.name !== 'schemas') {
    return changePlainList(op, attribute, before, value, options);
  }
  switch (op) {
    case 'add':
      return add(target, before, value, options);
    case 'replace':
      return replace(target, before, value, options);
    case 'remove':
      return remove(target, before, value, options);
  }
}

/** Applies an operation without a path: each attribute of `value` is added or replaced. */
function applyToResource(draft: ResourceDraft, op: PatchOp, value: unknown, options: PatchOptions): void {
  if (op === 'remove') throw noTarget('"remove" needs a path.');
  if (!options.pathlessPatch) throw invalidPath('The profile of this directory takes no operation without a path.');
  if (!isObject(value)) throw invalidValue('Without a path, "value" must be an object of attributes.');
  for (const key of Object.keys(value)) applyMember(draft, op, key, value[key], options);
}

function applyMember(draft: ResourceDraft, op: PatchOp, key: string, value: unknown, options: PatchOptions): void {
  const target = targetOfKey(draft.type, key, options);
  if (target === null) {
    skipUnknown(key, value, readContext(options));
    return;
  }
  if (target.kind === 'attribute') {
    const { attribute, sub } = target;
    if (attribute.name === 'schemas') return;
    if (attribute.mutability === 'readOnly' || sub?.mutability === 'readOnly') {
      skipReadOnly(draft, target, value, options);
      return;
    }
  }
  applyToTarget(draft, op, target, value, options);
}

/** Returns the target of a key. Keys are names of attributes or extensions; some clients send whole paths. */
function targetOfKey(type: ResourceTypeDef, key: string, options: PatchOptions): Target | null {
  const attribute = lookUp(type.schema.byName, key);
  if (attribute !== undefined) return { kind: 'attribute', attribute, filter: null, sub: null };
  refuseForbiddenName(key);
  const schema = findSchema(type, key);
  if (schema !== undefined && schema !== type.schema) return { kind: 'extension', schema };
  if (!options.pathsAsKeys) return null;
  try {
    return findTarget(type, key, options);
  } catch (error) {
    // A wrong value path is refused; any other wrong key is an unknown name.
    if (key.includes('[') || isForbiddenPath(key)) throw error;
    return null;
  }
}

function isForbiddenPath(key: string): boolean {
  return key.split(/[.:]/).some((part) => /^(__proto__|constructor|prototype)$/i.test(part));
}

/** Accepts a read-only attribute that does not change. Okta sends `id` with a rename, authentik the whole group. */
function skipReadOnly(draft: ResourceDraft, target: AttributeTarget, value: unknown, options: PatchOptions): void {
  inspect(value, uncounted());
  if (options.readOnlyValuesIgnored || sameJson(draft.read(target.attribute), value)) return;
  throw mutability(`"${target.attribute.name}" is read-only.`);
}

function applyToExtension(draft: ResourceDraft, op: PatchOp, urn: string, value: unknown, options: PatchOptions): void {
  const schema = findSchema(draft.type, urn);
  if (schema === undefined) return;
  if (op === 'remove' || value === null || value === '') {
    for (const attribute of schema.attributes) {
      if (draft.read(attribute) !== undefined) draft.write(attribute, undefined);
    }
    return;
  }
  if (!isObject(value)) throw invalidValue(`"${urn}" must be an object.`);
  for (const key of Object.keys(value)) {
    const attribute = lookUp(schema.byName, key);
    if (attribute === undefined) skipUnknown(key, value[key], readContext(options));
    else applyToTarget(draft, op, { kind: 'attribute', attribute, filter: null, sub: null }, value[key], options);
  }
}

/**
 * Applies an operation to a multi-valued attribute whose values are no objects (RFC 7644 §3.5.2). `remove` with a value
 * removes the listed values, without one it removes all.
 *
 * @param before the value of the attribute now
 * @returns the value after the operation: `before` itself when nothing changes, undefined for unassigned
 * @throws {ScimRequestError} invalidValue
 */
function changePlainList(
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
