import type { TenantView } from '../../../tenancy/tenants/tenant.store.js';
import { roleNames, consoleOf } from '../role.rules.js';
import type { ChangedFields } from '../user.dto.js';
import { draftOf, withFields, type UserDocument, type UserDraft, emailKey } from '../user.mapping.js';
import type { UserRow } from '../user.row.js';
import { ManagedByDirectory } from '../users.errors.js';
import { rightOf } from '../write/authority.rules.js';
import type { Edit, WritingDirectory } from '../write/write-case.js';

const IDENTITY = ['email', 'first_name', 'last_name', 'external_id', 'status'] as const;

/**
 * Returns the edit of a merge patch of the users API; null when nothing differs.
 *
 * @param userName replaces a `userName` that was the changed e-mail
 * @param mayWrite the tenant lets the API change fields that a directory manages
 */
export function editOf(
  row: UserRow,
  body: ChangedFields,
  userName: string,
  directory: WritingDirectory | null,
  mayWrite: boolean,
): (Extract<Edit, { kind: 'change' }> & { fields: string[] }) | null {
  const before = JSON.parse(row.doc) as UserDocument;
  // A caller that may not take back what the directory wrote may still send the effective value.
  const written = row.held === null || !mayWrite ? null : draftOf(before, directory?.attributeMap);
  const fields = changedFields(row, written, body);
  if (fields.length === 0) return null;
  // One half of a name has no meaning without the other, which may have another source.
  const renamed = body.first_name !== undefined || body.last_name !== undefined;
  const names = {
    first_name: body.first_name ?? written?.firstName ?? row.first_name,
    last_name: body.last_name ?? written?.lastName ?? row.last_name,
  };
  const doc = withFields(before, renamed ? { ...body, ...names } : body);
  if (doc['userName'] !== before['userName']) doc['userName'] = userName;
  const draft = draftOf(doc, directory?.attributeMap);
  if (directory === null) keepUnnamed(draft, row, body);
  // An unchanged role is not set: a role of rules would stay after the rule has ended.
  const roleSet = fields.includes('role') ? body.role : undefined;
  return { kind: 'change', fields, draft, ...(roleSet === undefined ? {} : { roleSet }) };
}

/**
 * Keeps the effective values of fields that a merge patch does not name. They need not follow from the resource: a
 * deleted directory may have mapped the names from other attributes.
 */
export function keepUnnamed(draft: UserDraft, row: UserRow, body: ChangedFields): void {
  if (body.email === undefined) draft.email = row.email;
  if (body.external_id === undefined) draft.key = row.person_external_id;
  if (body.first_name === undefined && body.last_name === undefined) {
    draft.firstName = row.first_name;
    draft.lastName = row.last_name;
  }
}

/** Refuses fields that the directory writes. The role is the directory's only where its rules or `roles` give one. */
export function refuseManaged(fields: string[], row: UserRow, directory: WritingDirectory): void {
  const doc = JSON.parse(row.doc) as UserDocument;
  const givesRoles = roleNames(doc['roles'] as { value?: unknown }[] | undefined).length > 0 || directory.hasRules;
  const theirs = fields.filter((field) => field !== 'role' || givesRoles);
  if (theirs.length > 0) throw new ManagedByDirectory({ id: directory.id, name: directory.name }, theirs);
}

/**
 * Returns the fields that differ from the effective state, and for a held user from the `written` state too: the
 * effective value then takes back the requested one.
 */
function changedFields(row: UserRow, written: UserDraft | null, body: ChangedFields): string[] {
  const inForce: Record<string, unknown> = {
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    external_id: row.person_external_id,
    status: row.status,
    role: row.role,
  };
  const waiting: Record<string, unknown> = !written
    ? {}
    : {
        email: written.email,
        first_name: written.firstName,
        last_name: written.lastName,
        external_id: written.key ?? row.person_external_id,
        status: row.active ? 'active' : 'inactive',
      };
  const sent = body as Record<string, unknown>;
  return [...IDENTITY, 'role'].filter(
    (field) =>
      sent[field] !== undefined &&
      (sent[field] !== inForce[field] || (field in waiting && sent[field] !== waiting[field])),
  );
}

export interface WrittenFields {
  fields: readonly string[];
  role?: string | undefined;
  status?: string | undefined;
}

/** A sign-in finds its user by these fields: with a new value, another person gets the rights of the user. */
const SIGN_IN_FIELDS = ['email', 'external_id'];

/**
 * Returns why only an administrator may do a write, as a sentence; null when every writer of users may.
 *
 * Only an administrator gives or takes a role that administers, activates a user who administers, or gives the user
 * another identity. The owner and the break-glass accounts are the last way in: no other writer deactivates or deletes
 * them.
 *
 * @param row null for a new user
 */
export function whyAdminOnly(
  tenant: Pick<TenantView, 'roles' | 'protectedUserIds'>,
  row: Pick<UserRow, 'id' | 'role' | 'role_set'> | null,
  { fields, role, status }: WrittenFields,
): string | null {
  const { roles } = tenant;
  if (role !== undefined && fields.includes('role') && consoleOf(roles, role) !== 'none') {
    return `The role "${role}" has rights of administration, and only an admin may give it.`;
  }
  if (row === null) return null;
  if (rightOf(tenant, row) === 'none') return null;
  const own = [row.role, row.role_set].find((one) => consoleOf(roles, one) !== 'none');
  if (own !== undefined && fields.includes('role')) {
    return `The role "${own}" has rights of administration, and only an admin may take it.`;
  }
  if (tenant.protectedUserIds.has(row.id) && fields.includes('status')) {
    return `The user is the owner or a break-glass account, and only an admin may change status.`;
  }
  const moved = fields.filter((field) => SIGN_IN_FIELDS.includes(field) || (field === 'status' && status === 'active'));
  if (moved.length === 0) return null;
  return `The user has rights of administration, and only an admin may change ${moved.join(' and ')}.`;
}

/**
 * Returns whether a write gives another e-mail to a user that a sign-in created with the key that an IdP claimed. The
 * key may belong to another user, so the bindings of the sign-in are not proven.
 */
export function isClaimed(row: UserRow, { email }: UserDraft): boolean {
  if (row.source !== 'sign-in' || row.directory_id !== null) return false;
  return email === null || row.email === null || emailKey(email) !== emailKey(row.email);
}
