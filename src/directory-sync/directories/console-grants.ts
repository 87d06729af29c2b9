import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../../base/domain-events.js';
import { RoleConsoleChanged } from '../../tenancy/tenants/tenants.events.js';
import { adminSourceOf } from './admin-request.js';
import { DirectoryPeople } from './directory-people.js';

/**
 * A role that gets rights of administration, or loses them, is given by other directories than before. A task for each
 * directory without `may_grant_console` computes the roles of its users again.
 */
@Injectable()
export class ConsoleGrants {
  constructor(
    private readonly people: DirectoryPeople,
    events: DomainEvents,
  ) {
    events.on(RoleConsoleChanged, (change) => this.roleChanged(change));
  }

  private async roleChanged({ tx, by, before, after }: RoleConsoleChanged): Promise<void> {
    if ((before === 'none') === (after === 'none')) return;
    const { rows } = await tx.query<{ id: string }>(
      `select id from directories where tenant_id = $1 and deleted_at is null and not may_grant_console order by directories.id`,
      [by.tenantId],
    );
    for (const { id } of rows) await this.people.ruleChanged(tx, by.tenantId, id, adminSourceOf(by, id));
  }
}
