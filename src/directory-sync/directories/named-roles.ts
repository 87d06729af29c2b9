import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../base/domain-events.js';
import { RoleDeleting } from '../../tenancy/tenants/tenants.events.js';

/** Counts the directories whose default role is to be deleted, and the group rules that name it. */
@Injectable()
export class NamedRoles {
  constructor(events: DomainEvents) {
    events.on(RoleDeleting, (event) => this.count(event));
  }

  private async count(event: RoleDeleting): Promise<void> {
    const { rows } = await event.tx.query<{ uses: number }>(
      `select (select count(*) from directories where tenant_id = $1 and default_role = $2 and deleted_at is null)::int
            + (select count(*) from group_rules where tenant_id = $1 and role = $2)::int as uses`,
      [event.tenantId, event.role],
    );
    event.uses += rows[0]!.uses;
  }
}
