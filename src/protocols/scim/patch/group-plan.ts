import { isObject, type JsonObject, type PatchOp, type PatchOperation } from '../dialects/normalise.js';
import type { Filter } from '../filter/ast.js';
import type { BoundValueFilter } from '../filter/bound.js';
import { parsePatchPath } from '../filter/parse.js';
import { resolveValueFilter } from '../filter/resolve.js';
import { readContext } from '../resource/context.js';
import type { Member } from '../resource/members.js';
import { readList } from '../resource/values.js';
import { lookUp, type Attribute } from '../schema/attribute.js';
import { findAttribute, GROUP_TYPE } from '../schema/resource-types.js';
import { invalidPath, invalidValue, mutability, noTarget } from '../scim.errors.js';
import type { PatchOptions } from './apply.js';
import { MemberEdits, valuesOfEither, type MemberEdit } from './member-edits.js';

export type { MemberEdit } from './member-edits.js';
export type { Member } from '../resource/members.js';

/** A PATCH of a group in two parts: the group is never read with its members. */
export interface GroupPatchPlan {
  /** For `applyPatch`, on the group without members. */
  readonly attributeOperations: PatchOperation[];
  /** In order. Edits are merged, so there are few. */
  readonly memberEdits: MemberEdit[];
}

const MEMBERS = memberAttribute();

/**
 * Splits the PATCH of a group (RFC 7644 §3.5.2) into edits of its attributes and of its members. No operation changes
 * both, so the parts are independent.
 *
 * @throws {ScimRequestError} noTarget, invalidPath, invalidValue, invalidFilter, mutability
 */
export function planGroupPatch(operations: readonly PatchOperation[], options: PatchOptions): GroupPatchPlan {
  const attributeOperations: PatchOperation[] = [];
  const edits = new MemberEdits();
  for (const operation of operations) {
    const { op, path, value } = operation;
    if (path === undefined) {
      const rest = planPathless(op, value, edits, options);
      if (rest !== null) attributeOperations.push(rest);
    } else if (isAboutMembers(path)) {
      planPath(op, path, value, edits, options);
    } else {
      attributeOperations.push(operation);
    }
  }
  return { attributeOperations, memberEdits: edits.list() };
}

/** Takes the members out of a value without a path; returns the operation on the other attributes, or null. */
function planPathless(op: PatchOp, value: unknown, edits: MemberEdits, options: PatchOptions): PatchOperation | null {
  if (op === 'remove' || !options.pathlessPatch || !isObject(value)) return { op, value };
  const keys = Object.keys(value).filter(isAboutMembers);
  if (keys.length === 0) return { op, value };
  // fromEntries defines own members, so a key such as __proto__ stays a key and is refused later.
  const rest: JsonObject = Object.fromEntries(Object.entries(value).filter(([key]) => !isAboutMembers(key)));
  for (const key of keys) {
    // Any other key is a path. For dialects without such keys it is an unknown name, which applyPatch handles.
    if (options.pathsAsKeys || key.toLowerCase() === 'members') planPath(op, key, value[key], edits, options);
    else rest[key] = value[key];
  }
  return Object.keys(rest).length === 0 ? null : { op, value: rest };
}

/** Returns whether a path is `members`, `members.…` or `members[…]`, with or without the URN of the group schema. */
function isAboutMembers(path: string): boolean {
  if (path === 'members') return true;
  const bracket = path.indexOf('[');
  const head = (bracket === -1 ? path : path.slice(0, bracket)).trim().toLowerCase();
  const name = head.startsWith(URN_PREFIX) ? head.slice(URN_PREFIX.length) : head;
  return name === 'members' || name.startsWith('members.');
}

const URN_PREFIX = `${GROUP_TYPE.schema.urn.toLowerCase()}:`;

function planPath(op: PatchOp, text: string, value: unknown, edits: MemberEdits, options: PatchOptions): void {
  const { path, filter, sub } = parsePatchPath(text);
  const name = sub ?? path.sub;
  const part = name === null ? null : lookUp(MEMBERS.subByName, name);
  if (part === undefined) throw invalidPath(`There is no attribute "members.${name ?? ''}".`);
  // `members.value` with ids means the list of members.
  const plainList = filter === null && part?.name === 'value' && value != null && op !== 'replace';
  if (part !== null && !plainList) throw mutability(`"members.${part.name}" cannot be changed.`);
  if (filter === null) planList(op, value, edits, plainList ? { ...options, looseMembers: true } : options);
  else planSelected(op, filter, value, edits, options);
}

function planList(op: PatchOp, value: unknown, edits: MemberEdits, options: PatchOptions): void {
  switch (op) {
    case 'add':
      edits.add(readMembers(value, options));
      return;
    case 'replace':
      edits.replace(readMembers(value, options));
      return;
    case 'remove':
      if (value === undefined || value === null) {
        edits.replace([]);
        return;
      }
      // The list names the members to remove. An empty list removes none.
      if (!options.valueListRemoves) {
        throw invalidValue('"remove" takes no value; select the member with members[value eq "…"].');
      }
      edits.remove(readMembers(value, options).map((member) => member.value));
  }
}

function planSelected(op: PatchOp, filter: Filter, value: unknown, edits: MemberEdits, options: PatchOptions): void {
  const bound: BoundValueFilter = resolveValueFilter(filter, MEMBERS, options);
  const values = valuesOfEither(bound);
  if (op === 'remove') {
    if (values === null) edits.removeWhere(filter, bound);
    else edits.remove(values);
    return;
  }
  // The id of a member cannot change. A value with the id of the filter is an add.
  const [member, ...more] = readMembers(value, options);
  if (
    op === 'replace' ||
    more.length > 0 ||
    member === undefined ||
    values?.length !== 1 ||
    values[0] !== member.value
  ) {
    throw op === 'add' && member === undefined
      ? noTarget('There is no member to add.')
      : mutability('A member cannot be changed; remove it and add another.');
  }
  edits.add([member]);
}

function readMembers(value: unknown, options: PatchOptions): Member[] {
  const source = typeof value === 'string' && value !== '' && options.looseMembers ? [value] : value;
  const list = readList(MEMBERS, source, readContext(options), true);
  // readList has checked that every member has a value.
  return (list ?? []) as unknown as Member[];
}

function memberAttribute(): Attribute {
  const members = findAttribute(GROUP_TYPE, null, 'members');
  if (members === undefined) throw new Error('The group schema has no members.');
  return members;
}
