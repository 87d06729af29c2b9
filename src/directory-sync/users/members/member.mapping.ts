import type { ConsoleAccess } from '../../../tenancy/tenants/administrators.js';
import type { CatalogueRole } from '../../../tenancy/tenants/tenant.store.js';
import { consoleOf } from '../console-rights.rules.js';

/** A user who administers, as the list reads it. */
export interface MemberRow {
  id: string;
  email: string | null;
  first_name: string;
  last_name: string;
  role: string | null;
  role_set: string | null;
  source: 'api' | 'scim' | 'sign-in';
  directory_id: string | null;
  directory_name: string | null;
}

/** A user who administers, and where the right comes from. */
export interface ListedMember {
  user_id: string;
  email: string | null;
  first_name: string;
  last_name: string;
  role: string | null;
  console: Exclude<ConsoleAccess, 'none'>;
  owner: boolean;
  role_from: 'directory' | 'api' | 'sign-in' | null;
  directory: { id: string; name: string } | null;
}

/**
 * Returns a user who administers. The role comes from the directory that manages the user, unless the API has set it; of a
 * user without a directory, from the API or the sign-in that made the user.
 */
export function memberOf(
  row: MemberRow,
  tenant: { ownerUserId: string | null; roles: ReadonlyMap<string, CatalogueRole> },
): ListedMember {
  const right = consoleOf(tenant.roles, row.role);
  const owner = row.id === tenant.ownerUserId;
  const isDirectory = row.directory_id !== null && (row.role_set === null || row.role_set !== row.role);
  return {
    user_id: row.id,
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    role: row.role,
    console: owner || right === 'none' ? 'admin' : right,
    owner,
    role_from: right === 'none' ? null : isDirectory ? 'directory' : row.source === 'sign-in' ? 'sign-in' : 'api',
    directory: row.directory_id === null ? null : { id: row.directory_id, name: row.directory_name ?? '' },
  };
}
