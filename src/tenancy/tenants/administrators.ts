import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import type { ConsoleAccess } from './roles.dto.js';

/** A user of a tenant, with the role that the user has now. */
export interface RoleHolder {
  tenant_id: string;
  user_id: string;
  role: string | null;
}

/**
 * Returns SQL of what a user may do in the administration of the tenant: `admin`, `auditor` or `none`. The owner always has
 * `admin`; every other user has what the role has.
 *
 * @param tenantId SQL of the tenant's id, as the others
 */
export function consoleRight(tenantId: string, userId: string, role: string): string {
  return `(case when exists (select 1 from tenants w where w.id = ${tenantId} and w.owner_user_id = ${userId}) then 'admin'
    else coalesce((select r.console from roles r where r.tenant_id = ${tenantId} and r.name = ${role}), 'none') end)`;
}

/** Who administers a tenant: its owner, and users whose role of the catalogue has `console: admin`. */
@Injectable()
export class Administrators {
  constructor(private readonly db: Database) {}

  /** Returns what a user may do in the administration of the tenant. */
  async rightOf({ tenant_id: tenantId, user_id: userId, role }: RoleHolder): Promise<ConsoleAccess> {
    const { rows } = await this.db.query<{ console: ConsoleAccess }>(
      `select ${consoleRight('$1::text', '$2::text', '$3::text')} as console`,
      [tenantId, userId, role],
    );
    return rows[0]!.console;
  }

  /** Returns whether a user administers the tenant. */
  async has(holder: RoleHolder): Promise<boolean> {
    return (await this.rightOf(holder)) === 'admin';
  }
}
