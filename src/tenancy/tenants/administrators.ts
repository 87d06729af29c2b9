import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';

/** A user of a tenant, with the role that the user has now. */
export interface RoleHolder {
  tenant_id: string;
  user_id: string;
  role: string | null;
}

/** Who administers a tenant: its owner, and users whose role of the catalogue has `console: admin`. */
@Injectable()
export class Administrators {
  constructor(private readonly db: Database) {}

  /** Returns whether a user administers the tenant. */
  async has({ tenant_id: tenantId, user_id: userId, role }: RoleHolder): Promise<boolean> {
    const { rows } = await this.db.query<{ administers: boolean }>(
      `select (t.owner_user_id is not distinct from $2 or exists (
         select 1 from roles r where r.tenant_id = $1 and r.name = $3 and r.console = 'admin')) as administers
       from tenants t where t.id = $1`,
      [tenantId, userId, role],
    );
    return rows[0]?.administers === true;
  }
}
