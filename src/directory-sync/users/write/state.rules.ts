import { ENTERPRISE_URN } from '../../../protocols/scim/urns.js';
import type { RoleOrigin } from '../../../tenancy/identity/cause.rules.js';
import {
  type Written,
  BEFORE_NEEDS_ADMIN,
  decideInForce,
  wantsSeat,
  type Circumstances,
  type Decision,
} from '../../../tenancy/identity/held.rules.js';
import type { HeldReason } from '../../../tenancy/identity/person.js';
import type { TenantView } from '../../../tenancy/tenants/tenant.store.js';
import type { AttributeMap } from '../../directories/directory.js';
import { roleOf, defaultRoleBy, grantableRoles } from '../role.rules.js';
import { draftOf, emailKey, withFields, type UserDocument, type UserDraft } from '../user.mapping.js';
import { type UserRow, currentOf, personOfRow } from '../user.row.js';
import { knownAs, isOtherIdentity, isNamedAnew } from './known-as.rules.js';
import type { Edit, WriteCase, Conflicts } from './write-case.js';

interface Discarded {
  doc: UserDocument;
  /** The role of rules or default that no longer counts; `''` for no role; null when the given role is in force. */
  discardedRole: string | null;
}

/** The requested role: by SCIM `roles`, and by rules or the default of the directory. */
export interface GivenRoles {
  byResource: string | null;
  byRules: string | null;
}

/** Returns the resource of a held user's effective state. Parts that agree stay unchanged. */
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

/** Sets or removes an attribute that a map can name: a core one, one of `name`, or one of the extension. */
function setAttribute(doc: UserDocument, path: string, value: string | null): void {
  const [head, tail] = path.split('.') as [string, string | undefined];
  if (head === 'userName' && value === null) return; // A user always has one.
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

export function givenRoles({ ctx, tenant, draft, roleSet, fromRules }: WriteCase): GivenRoles {
  const directory = ctx.directory;
  const grantable = grantableRoles(tenant.roles, directory?.mayGrantConsole ?? false);
  const defaultRole = roleSet ?? (directory ? defaultRoleBy(tenant.roles, directory) : 'User');
  return {
    byResource: roleOf({ roles: directory ? draft.roles : [], fromRules: [], defaultRole: null }, grantable),
    byRules: roleOf({ roles: [], fromRules: fromRules.map(({ role }) => role), defaultRole }, tenant.roles),
  };
}

/** Returns the requested state in the platform's words, with role and key. */
export function writtenIn(about: WriteCase): Written {
  const { ctx, row, draft } = about;
  const { byResource, byRules } = givenRoles(about);
  return {
    active: draft.active,
    seatlessRole: seatlessRole(about),
    person: {
      email: draft.email,
      first_name: draft.firstName,
      last_name: draft.lastName,
      role: byResource ?? (isDiscardedRole(about, byRules) ? row!.role : byRules),
      external_id: requestedKey(row, draft, ctx.directory !== null),
    },
  };
}

/** Returns whether an administrator has discarded the role of rules or default: the user keeps the role in force. */
function isDiscardedRole({ row, discardedRole }: WriteCase, byRules: string | null): boolean {
  return row !== null && (discardedRole === undefined ? row.discarded_role : discardedRole) === (byRules ?? '');
}

export function roleOrigin(about: WriteCase): RoleOrigin {
  const { tenant, roleSet, fromRules } = about;
  const { byResource, byRules } = givenRoles(about);
  if (byResource !== null) return { by: 'roles', value: byResource };
  if (isDiscardedRole(about, byRules)) return { by: 'discard' };
  const rule = fromRules.find(({ role }) => tenant.roles.has(role));
  if (rule !== undefined) return { by: 'rule', group: rule.group };
  if (byRules === null) return { by: 'none' };
  if (roleSet === null) return { by: 'default' };
  return about.roleOrigin ?? { by: 'set' };
}

function seatlessRole({ ctx: { directory }, tenant: { roles }, draft, roleSet, fromRules }: WriteCase): string | null {
  const grantable = grantableRoles(roles, directory?.mayGrantConsole ?? false);
  const byDefault = directory === null ? null : defaultRoleBy(roles, directory);
  const byResource = directory === null ? [] : draft.roles.filter((role) => grantable.has(role));
  const given = [...byResource, ...fromRules.map(({ role }) => role), roleSet ?? byDefault];
  return given.find((role) => role !== null && roles.get(role)?.takesSeat === false) ?? null;
}

/**
 * Returns the discarded role after a write. It ends once the resource gives a role, or rules and default give another
 * one.
 */
export function discardedRoleAfter(about: WriteCase & { row: UserRow }, edit: Edit): string | null {
  if (edit.kind === 'discard') return edit.discardedRole;
  const { byResource, byRules } = givenRoles(about);
  return byResource === null && about.row.discarded_role === (byRules ?? '') ? about.row.discarded_role : null;
}

/**
 * A key that a directory once sent stays when the directory only omits it. `managed`: a directory manages the user.
 */
export function requestedKey(row: UserRow | null, draft: UserDraft, managed: boolean): string | null {
  if (draft.key !== null || !managed) return draft.key;
  const old = row?.person_external_id ?? null;
  return old !== null && old !== row!.user_name ? old : draft.userName;
}

/** Decides the effective state of a user from the requested one. */
export function decide(about: WriteCase, written: Written, conflicts: Conflicts): Decision {
  const decision = decideWithout(about, written, conflicts);
  const isFirst = decision.held !== null && BEFORE_NEEDS_ADMIN.includes(decision.held);
  if ((about.keptFor ?? null) === null || isFirst) return decision;
  return { ...decision, held: 'needs_admin' };
}

function decideWithout(about: WriteCase, written: Written, conflicts: Conflicts): Decision {
  const { ctx, row, tenant, named } = about;
  const around: Circumstances = {
    emailTaken: conflicts.emailTaken,
    externalIdTaken: conflicts.externalIdTaken,
    formerTaken: conflicts.formerTaken,
    seatFree: conflicts.seatFree,
    roleTakesSeat: takesSeat(tenant, written),
    preview: ctx.directory?.state === 'preview',
    superseded: ctx.directory?.superseded ?? false,
    isProtected: row !== null && tenant.protectedUserIds.has(row.id) && ctx.channel === 'scim',
    guardReached: conflicts.guardReached,
    changesReached: conflicts.changesReached || (row !== null && isHeldChange(row, about, written)),
    renamed: row !== null && isNamedAnew(row, about.draft),
    released: about.released,
  };
  if (row === null || named === undefined || !isSilent(ctx)) {
    return decideInForce(written, row && currentOf(row), around);
  }
  const asked = namedAlone(about, written, row);
  const free = { ...around, roleTakesSeat: takesSeat(tenant, asked), preview: false, superseded: false };
  const decision = decideInForce(asked, currentOf(row), free);
  const { inForce, seat } = decision;
  const after = { ...currentOf(row), person: inForce, status: inForce.status, seat };
  return { ...decision, held: decideInForce(written, after, around).held ?? decision.held };
}

/**
 * Returns whether the guard holds another identity or role, and the requested one still differs. Each later review of
 * the user keeps the hold until an administrator decides.
 */
function isHeldChange(row: UserRow, { draft }: WriteCase, { person }: Written): boolean {
  if (row.held !== 'guard' || !row.held_change) return false;
  return isOtherIdentity(row, draft, person) || person.role !== knownAs(row).role;
}

function isSilent({ directory }: WriteCase['ctx']): boolean {
  return directory !== null && (directory.state === 'preview' || directory.superseded);
}

function namedAlone({ named = [], roleSet }: WriteCase, written: Written, row: UserRow): Written {
  const person = personOfRow(row);
  for (const field of ['email', 'first_name', 'last_name', 'external_id'] as const) {
    if (named.includes(field)) Object.assign(person, { [field]: written.person[field] });
  }
  // A role of the directory comes before the one that the users API sets, and waits with the directory.
  if (named.includes('role') && written.person.role === roleSet) person.role = roleSet;
  return { ...written, person, active: named.includes('status') ? written.active : row.status === 'active' };
}

/**
 * Returns why a removal by a directory is held: the user is deleted for SCIM and stays in force. Null when it is not
 * held.
 */
export function removalHeld(
  { channel, directory }: WriteCase['ctx'],
  row: UserRow,
  protectedIds: ReadonlySet<string>,
  guardReached: boolean,
): HeldReason | null {
  if (channel !== 'scim') return null;
  const wasInForce = row.status === 'active' || row.ever_active;
  if (directory?.state === 'preview' && wasInForce) return 'preview';
  // Only the tenant removes owner and break-glass accounts.
  if (protectedIds.has(row.id)) return 'protected';
  const isStopped = row.status === 'active' && (guardReached || currentOf(row).holdsDeparture);
  return isStopped && row.released !== 'guard' ? 'guard' : null;
}

/** Returns whether the write needs a seat now. A write of a directory in preview or a superseded one never does. */
export function asksSeat(about: WriteCase, written: Written): boolean {
  const { ctx, row, tenant, named } = about;
  if (isSilent(ctx)) {
    if (row === null || named === undefined) return false;
    written = namedAlone(about, written, row);
  }
  return wantsSeat(written, row && currentOf(row), takesSeat(tenant, written));
}

/** A role outside the catalogue takes a seat. */
function takesSeat(tenant: TenantView, written: Written): boolean {
  return written.person.role !== null && (tenant.roles.get(written.person.role)?.takesSeat ?? true);
}

/**
 * Returns the released reason while it still counts. It ends when a released departure is active again, when an e-mail
 * arrives, and when another key is written.
 */
export function stillReleased({ row, draft, released, ctx }: WriteCase & { row: UserRow }): HeldReason | null {
  if ((released === 'protected' || released === 'guard') && draft.active) return null;
  if (released === 'no_email' && draft.email !== null) return null;
  if (released === 'external_id_taken') {
    const keyOfDoc = (doc: UserDocument) => draftOf(doc, ctx.directory?.attributeMap).key;
    if (keyOfDoc(JSON.parse(row.doc) as UserDocument) !== keyOfDoc(draft.doc)) return null;
  }
  return released;
}

/**
 * Returns whether an administrator has discarded the requested state: the user is not held, and differs from the
 * request. That lasts until a channel writes again.
 */
export function isDiscarded(row: UserRow): boolean {
  return row.held === null && row.active !== (row.status === 'active');
}
