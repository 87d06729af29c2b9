import { ENTERPRISE_URN } from '../../../protocols/scim/urns.js';
import type { AttributeMap } from '../../directories/directory.js';
import { draftOf, emailKey, withFields, type UserDocument } from '../user.mapping.js';
import type { UserRow } from '../user.row.js';
import { knownAs } from './known-as.rules.js';

/** The resource of a user, made anew from the effective state, and the role that is left out permanently. */
export interface Discarded {
  doc: UserDocument;
  /** The role of rules or default that does not count any more; `''`: none; null: the role in force is the one given. */
  discardedRole: string | null;
}

/** The role as written: by SCIM `roles`, and by rules or the default of the directory. */
export interface GivenRoles {
  byResource: string | null;
  byRules: string | null;
}

/**
 * Returns the resource that says the effective state: where the two agree, the resource stays letter for letter.
 *
 * @param row a held user
 * @param map the attribute map of the user's directory
 * @param userName the one in force, or its substitute
 */
export function discarded(
  row: UserRow,
  map: AttributeMap,
  given: GivenRoles,
  userName = knownAs(row).user_name,
): Discarded {
  const known = knownAs(row);
  const doc: UserDocument = { ...(JSON.parse(row.doc) as UserDocument), userName, active: row.status === 'active' };
  if (row.known_as !== null) setAttribute(doc, 'externalId', known.external_id);
  const draft = draftOf(doc, map);
  if (!sameEmail(draft.email, row.email)) setEmail(doc, map, row.email);
  if (draft.firstName !== row.first_name || draft.lastName !== row.last_name) setNames(doc, map, row);
  if (draft.key !== null && draft.key !== row.person_external_id) {
    // A substitute key is the userName: then none is written.
    const standsIn = row.person_external_id === known.user_name;
    setAttribute(doc, map.external_id ?? 'externalId', standsIn ? null : row.person_external_id);
  }
  if (draft.costCenter !== row.cost_center) {
    doc[ENTERPRISE_URN] = changed(doc[ENTERPRISE_URN], 'costCenter', row.cost_center);
  }
  const isNameKey = draft.key === null && row.person_external_id === known.user_name;
  if (isNameKey && userName !== known.user_name) setAttribute(doc, map.external_id ?? 'externalId', known.user_name);
  const { byResource, byRules } = given;
  if (byResource !== null && byResource !== row.role) {
    if (row.role === null || row.role === byRules) delete doc['roles'];
    else doc['roles'] = [{ value: row.role, primary: true }];
  }
  const stillGiven = row.role !== null && doc['roles'] !== undefined && byResource !== null;
  return { doc, discardedRole: stillGiven || byRules === row.role ? null : (byRules ?? '') };
}

function sameEmail(a: string | null, b: string | null): boolean {
  return a === null || b === null ? a === b : a === b && emailKey(a) === emailKey(b);
}

function setEmail(doc: UserDocument, map: AttributeMap, email: string | null): void {
  if (map.email !== undefined && map.email !== 'emails') setAttribute(doc, map.email, email);
  else if (email === null) delete doc['emails'];
  else {
    const { userName } = doc;
    Object.assign(doc, withFields(doc, { email }), { userName });
  }
}

function setNames(doc: UserDocument, map: AttributeMap, { first_name, last_name }: UserRow): void {
  if (map.first_name === undefined || map.last_name === undefined) {
    Object.assign(doc, withFields(doc, { first_name, last_name }));
  }
  if (map.first_name !== undefined) setAttribute(doc, map.first_name, first_name);
  if (map.last_name !== undefined) setAttribute(doc, map.last_name, last_name);
}

/** Sets or removes one of the attributes that a map can name: a core one, one of `name`, or one of the extension. */
function setAttribute(doc: UserDocument, path: string, value: string | null): void {
  const [head, tail] = path.split('.') as [string, string | undefined];
  if (head === 'userName' && value === null) return; // a user always has one
  if (tail !== undefined) doc[head] = changed(doc[head], tail, value);
  else if (head === 'employeeNumber') doc[ENTERPRISE_URN] = changed(doc[ENTERPRISE_URN], head, value);
  else if (value === null) delete doc[head];
  else doc[head] = value;
}

function changed(object: unknown, name: string, value: string | null): object {
  const next: Record<string, unknown> = { ...(object as Record<string, unknown> | undefined), [name]: value };
  if (value === null) delete next[name];
  return next;
}
