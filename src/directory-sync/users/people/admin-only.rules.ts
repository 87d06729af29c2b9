import type { TenantView } from '../../../tenancy/tenants/tenant.store.js';
import type { UserRow } from '../user.row.js';
import { consoleOf } from '../console-rights.rules.js';
import { rightOf } from '../write/authority.rules.js';

/** What a write of the users API changes of a user. */
export interface WrittenFields {
  /** The names of the fields that differ. */
  fields: readonly string[];
  role?: string | undefined;
  /** `deleted`: the user is removed. */
  status?: string | undefined;
}

/** The fields by which a sign-in finds its user: with a new one, another person gets the rights of the user. */
const SIGN_IN_FIELDS = ['email', 'external_id'];

/**
 * Returns why only an admin may do a write, as a sentence; null when every writer of users may. A role that administers is
 * given and taken by an admin alone. A user who administers is neither activated nor given to another person by other writers.
 * The owner and the break-glass accounts are the last way in: no other writer deactivates or deletes them.
 *
 * @param row null: a new user
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
