import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import type { EventName } from '../../engine/events/catalogue.js';
import { EventsRepository, type NewEvent } from '../../engine/events/events.service.js';
import { ApiKeysService } from '../../tenancy/tenants/api-keys.service.js';
import { AuditService, type AuditBy } from '../../tenancy/tenants/audit/audit.service.js';
import type { ConsoleAccess } from '../../tenancy/tenants/administrators.js';
import { OwnerChanged, RoleConsoleChanged } from '../../tenancy/tenants/tenants.events.js';

type RightEvent = Extract<EventName, `administrator.${string}`>;

/** A right that users get or lose together. `role` is null for the right of the owner. */
interface SharedRight {
  event: RightEvent;
  role: string | null;
  console: Exclude<ConsoleAccess, 'none'>;
}

const BATCH = 1_000;

/**
 * Records who administers where no write of a user does: a role gets or loses its rights, or the tenant gets another
 * owner. Audit entries and events are part of the transaction of the change.
 */
@Injectable()
export class AdministratorNotices {
  constructor(
    private readonly records: EventsRepository,
    private readonly audit: AuditService,
    private readonly keys: ApiKeysService,
    events: DomainEvents,
  ) {
    events.on(RoleConsoleChanged, (change) => this.roleChanged(change));
    events.on(OwnerChanged, (change) => this.ownerChanged(change));
  }

  private async roleChanged({ tx, by, role, before, after }: RoleConsoleChanged): Promise<void> {
    let last = '';
    for (;;) {
      const { rows } = await tx.query<{ id: string }>(
        `select id from users where tenant_id = $1 and role = $2 and status = 'active' and id > $3 order by users.id limit ${BATCH}`,
        [by.tenantId, role, last],
      );
      const ids = rows.map(({ id }) => id);
      if (before !== 'none') await this.tell(tx, by, ids, { event: 'administrator.removed', role, console: before });
      if (after !== 'none') await this.tell(tx, by, ids, { event: 'administrator.added', role, console: after });
      if (rows.length < BATCH) return;
      last = ids.at(-1)!;
    }
  }

  /** The right of an owner whose role administers does not change. */
  private async ownerChanged({ tx, by, before, after }: OwnerChanged): Promise<void> {
    const { rows } = await tx.query<{ id: string }>(
      `select u.id from users u left join roles r on r.tenant_id = $1 and r.name = u.role
       where u.tenant_id = $1 and u.id = any($2::text[]) and u.status = 'active' and r.console is distinct from 'admin'`,
      [by.tenantId, [before, after]],
    );
    const right = { role: null, console: 'admin' } as const;
    for (const { id } of rows) {
      const event = id === after ? 'administrator.added' : 'administrator.removed';
      await this.tell(tx, by, [id], { event, ...right });
    }
  }

  private async tell(tx: SqlRunner, by: AuditBy, userIds: string[], { event, ...right }: SharedRight): Promise<void> {
    if (userIds.length === 0) return;
    const line = { ...by, action: event, targetType: 'user' };
    if (event === 'administrator.added') {
      await this.audit.recordEach(tx, { ...line, before: null, after: right }, userIds);
      const facts = userIds.map((id): NewEvent => ({ event, data: { user_id: id, ...right } }));
      await this.records.record(by.tenantId, facts, tx);
      return;
    }
    const goingOn = await this.keys.goingOn(by.tenantId, userIds, true, tx);
    const without = userIds.filter((id) => goingOn.get(id)!.length === 0);
    await this.audit.recordEach(tx, { ...line, before: { ...right, keys: [] }, after: null }, without);
    for (const [targetId, keys] of goingOn) {
      if (keys.length > 0) await this.audit.record(tx, { ...line, targetId, before: { ...right, keys }, after: null });
    }
    const facts = [...goingOn].map(([id, keys]): NewEvent => ({ event, data: { user_id: id, ...right, keys } }));
    await this.records.record(by.tenantId, facts, tx);
  }
}
