import type { TenantView } from '../../../tenancy/tenants/tenant.store.js';
import type { UserRow } from '../user.row.js';
import { consoleOf } from '../console-rights.rules.js';

/** What a write of the users API changes of a user. */
export interface WrittenFields {
  /** The names of the fields that differ. */
  fields: readonly string[];
  role?: string | undefined;
  status?: string | undefined;
}

/** The fields by which a sign-in finds its user: with a new one, another person gets the rights of the user. */
const SIGN_IN_FIELDS = ['email', 'external_id'];

/**
 * Returns why only an admin may do a write, as a sentence; null when every writer of users may. A role that administers is
 * given by an admin alone, and a user who administers is neither activated nor given to another person by anybody else.
 *
 * @param row null: a new user
 */
export function whyAdminOnly(
  { roles, ownerUserId }: Pick<TenantView, 'roles' | 'ownerUserId'>,
  row: Pick<UserRow, 'id' | 'role' | 'role_set'> | null,
  { fields, role, status }: WrittenFields,
): string | null {
  if (role !== undefined && fields.includes('role') && consoleOf(roles, role) !== 'none') {
    return `The role "${role}" has rights of administration, and only an admin may give it.`;
  }
  if (row === null) return null;
  const administers =
    [row.role, row.role_set].some((own) => consoleOf(roles, own) !== 'none') || row.id === ownerUserId;
  if (!administers) return null;
  const moved = fields.filter((field) => SIGN_IN_FIELDS.includes(field) || (field === 'status' && status === 'active'));
  if (moved.length === 0) return null;
  return `The user has rights of administration, and only an admin may change ${moved.join(' and ')}.`;
}
