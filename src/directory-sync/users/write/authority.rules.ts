import { ENTERPRISE_URN } from '../../../protocols/scim/urns.js';
import { mayAdopt, weightiest, type LinkedBy } from '../../../tenancy/identity/user-change.rules.js';
import type { ConsoleAccess } from '../../../tenancy/tenants/administrators.js';
import type { TenantView } from '../../../tenancy/tenants/tenant.store.js';
import type { AttributeMap } from '../../directories/directory.js';
import { consoleOf, type IdentityStep } from '../role.rules.js';
import { draftOf, emailKeyOf, type UserDocument, type UserDraft } from '../user.mapping.js';
import type { UserRow } from '../user.row.js';
import { Taken } from '../users.errors.js';
import type { ConflictingUserRow } from '../users.repository.js';
import { knownAs } from './known-as.rules.js';
import type { UserWrite, Edit, WriteCase, WritingDirectory } from './write-case.js';

type Rights = Pick<TenantView, 'roles' | 'protectedUserIds'>;
type Holder = Pick<UserRow, 'id' | 'role' | 'role_set'>;

const RANK: Record<ConsoleAccess, number> = { none: 0, auditor: 1, admin: 2 };

/**
 * Returns the right of administration of a user, now or once a set role applies. Owner and break-glass accounts have
 * the right of an administrator: their sign-in is the last way into the tenant.
 */
export function rightOf({ roles, protectedUserIds }: Rights, { id, role, role_set: set }: Holder): ConsoleAccess {
  if (protectedUserIds.has(id)) return 'admin';
  const [one, other] = [consoleOf(roles, role), consoleOf(roles, set)];
  return RANK[one] > RANK[other] ? one : other;
}

/**
 * Returns the greatest right that a directory may give: any with `may_grant_console`, else those of the roles in its
 * group rules.
 */
function leaveOf(
  roles: Rights['roles'],
  { mayGrantConsole, ruleRoles }: Pick<WritingDirectory, 'mayGrantConsole' | 'ruleRoles'>,
): ConsoleAccess {
  if (mayGrantConsole) return 'admin';
  const leaves = ruleRoles.map((role) => consoleOf(roles, role));
  return leaves.includes('admin') ? 'admin' : leaves.includes('auditor') ? 'auditor' : 'none';
}

/**
 * Returns whether a user has a right that the directory, or a connection with these roles in its map, may not give.
 */
export function isBeyond(
  tenant: Rights,
  row: Holder,
  directory: Pick<WritingDirectory, 'mayGrantConsole' | 'ruleRoles'>,
): boolean {
  const right = rightOf(tenant, row);
  return right !== 'none' && RANK[right] > RANK[leaveOf(tenant.roles, directory)];
}

/** The fields by which a sign-in finds a user, and the return into force. */
export type IdentityField = 'userName' | 'emails' | 'externalId' | 'active';

/** An omitted `externalId` finds no other user (Okta's PUT). `isOut`: an active user returns. */
function movedFields(before: UserDraft, after: UserDraft, isOut: boolean): IdentityField[] {
  const fields: IdentityField[] = [];
  if (before.userNameKey !== after.userNameKey) fields.push('userName');
  if (emailKeyOf(before.email) !== emailKeyOf(after.email)) fields.push('emails');
  const isNew = (is: string | null, was: string | null): boolean => is !== null && is !== was;
  if (isNew(after.externalId, before.externalId) || isNew(after.key, before.key)) fields.push('externalId');
  if (isOut && after.active && !before.active) fields.push('active');
  return fields;
}

/**
 * Returns the change of identity of a user who administers before and after a write, or null. Sessions and bindings of
 * the user end with it.
 */
export function identityStep(tenant: Rights, before: UserRow, write: UserWrite): IdentityStep | null {
  const { draft, directoryId, decision } = write;
  const { inForce } = decision;
  if (before.status !== 'active' || inForce.status !== 'active') return null;
  const own = consoleOf(tenant.roles, before.role);
  const console = tenant.protectedUserIds.has(before.id) ? 'admin' : own;
  if (console === 'none') return null;
  const fields: string[] = [];
  const now = write.knownAs ?? { user_name_key: draft.userNameKey, external_id: draft.externalId };
  const known = knownAs(before);
  if (write.nameWritten && before.name_written && now.user_name_key !== known.user_name_key) fields.push('userName');
  if (emailKeyOf(before.email) !== emailKeyOf(inForce.email)) fields.push('emails');
  const isSameId = known.external_id === now.external_id || !write.nameWritten;
  if (!isSameId || before.person_external_id !== inForce.external_id) fields.push('externalId');
  if (directoryId !== before.directory_id) fields.push('directory');
  if (fields.length === 0) return null;
  return { event: 'administrator.identity_changed', role: own === 'none' ? null : before.role, console, fields };
}

export interface KeptPart {
  fields: IdentityField[];
  rest: UserDraft | null;
}

/**
 * Returns the part of a directory's write that waits for an administrator. Such a write links a user, or gives a user
 * another identity, whose right the directory may not give. Otherwise the directory would decide who signs in with that
 * right.
 *
 * @returns null when the whole write takes effect
 */
export function keptPart({ ctx, tenant, row }: WriteCase & { row: UserRow }, edit: Edit): KeptPart | null {
  const { channel, directory } = ctx;
  if (channel !== 'scim' || directory === null || (edit.kind !== 'change' && edit.kind !== 'link')) return null;
  // An administrator has released the write, or undoes the departure.
  if (edit.trigger?.kind === 'released' || edit.trigger?.kind === 'undone') return null;
  if (!isBeyond(tenant, row, directory)) return null;
  if (row.directory_id !== directory.id) return { fields: [], rest: null };
  const stored = JSON.parse(row.doc) as UserDocument;
  const fields = movedFields(draftOf(stored, directory.attributeMap), edit.draft, row.status === 'inactive');
  if (fields.length === 0) return null;
  const rest = withIdentityOf(stored, edit.draft.doc, directory.attributeMap, fields.includes('active'));
  return { fields, rest: draftOf(rest, directory.attributeMap) };
}

/** Returns a resource with those attributes of the stored one by which a sign-in finds the user. */
function withIdentityOf(
  stored: UserDocument,
  written: UserDocument,
  map: AttributeMap,
  staysOut: boolean,
): UserDocument {
  const doc: UserDocument = { ...written };
  if (staysOut) doc['active'] = false;
  for (const name of ['userName', 'emails', 'externalId']) copy(doc, stored, name);
  if (map.external_id === 'employeeNumber') {
    const extension = { ...(written[ENTERPRISE_URN] as Record<string, unknown> | undefined) };
    copy(extension, (stored[ENTERPRISE_URN] as Record<string, unknown> | undefined) ?? {}, 'employeeNumber');
    doc[ENTERPRISE_URN] = extension;
  }
  return doc;
}

function copy(to: Record<string, unknown>, from: Record<string, unknown>, name: string): void {
  if (from[name] === undefined) delete to[name];
  else to[name] = from[name];
}

export interface Match {
  user: ConflictingUserRow;
  by: LinkedBy;
}

/**
 * Finds the user that the draft of a directory names: one that the directory has removed and that is still in force, an
 * unmanaged one, or one of the directory that is taken over.
 *
 * @param leavesOut the draft has `active: false`
 * @returns null when there is none, or several without the same name
 * @throws {Taken} when the directory is set to refuse matches
 */
export function matchOf(
  directory: WritingDirectory | null,
  found: ConflictingUserRow[],
  leavesOut: boolean,
): Match | null {
  if (directory === null || directory.superseded) return null;
  // A removed user comes back by its own names. The e-mail may be a new user's by now.
  const own = found.filter((h) => h.gone && h.directory_id === directory.id && (h.same_name || h.same_external_id));
  const kept = own.find((h) => h.same_name) ?? own[0];
  if (kept !== undefined) return { user: kept, by: kept.same_name ? 'user_name' : 'external_id' };
  const matches: Match[] = [];
  for (const user of found) {
    if (user.gone || (user.directory_id !== null && user.directory_id !== directory.takesOver)) continue;
    const by = weightiest(
      groundsOf(user).filter(
        (by) => !(by === 'email' && user.leaving) && mayAdopt({ by, inForce: user.status === 'active' }, leavesOut),
      ),
    );
    if (by !== null) matches.push({ user, by });
  }
  const match = matches.find(({ user }) => user.same_name) ?? (matches.length === 1 ? matches[0]! : null);
  if (match !== null && directory.onMatch === 'refuse') throw new Taken('user_name_taken', match.user.id);
  return match;
}

/** Returns the values that draft and user share. A substitute `userName` is the e-mail. */
function groundsOf({
  same_name: name,
  same_key: key,
  same_email: email,
  name_written: written,
}: ConflictingUserRow): LinkedBy[] {
  const grounds: LinkedBy[] = [];
  if (name) grounds.push(written ? 'user_name' : 'email');
  if (key) grounds.push('external_id');
  if (email) grounds.push('email');
  return grounds;
}
