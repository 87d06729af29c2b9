import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../base/domain-events.js';
import { RoleDeleting } from '../../tenancy/tenants/tenants.events.js';

/** Counts the connections that give a role which is to be deleted. */
@Injectable()
export class MappedRoles {
  constructor(events: DomainEvents) {
    events.on(RoleDeleting, (event) => this.count(event));
  }

  private async count(event: RoleDeleting): Promise<void> {
    const { rows } = await event.tx.query<{ uses: number }>(
      `select count(*)::int as uses from connections c where c.tenant_id = $1 and c.deleted_at is null
         and (c.settings ->> 'default_role' = $2 or exists (
           select 1 from jsonb_array_elements(c.settings -> 'role_map') m where m ->> 1 = $2))`,
      [event.tenantId, event.role],
    );
    event.uses += rows[0]!.uses;
  }
}
