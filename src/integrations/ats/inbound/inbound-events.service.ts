import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { Conflict, NotFound } from '../../../base/errors/domain-error.js';
import { WorkEntries } from '../../../engine/work/work-entries.repository.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { type AtsConnection, waitingReason } from '../connections/connection.js';
import { type InboundEventBody, type InboundEventRow, INBOUND_WORK } from './inbound-event.js';
import { InboundEventsRepository, type InboundFilter } from './inbound-events.repository.js';

class WrongEventState extends Conflict {
  constructor(detail: string) {
    super('wrong_event_state', detail);
  }
}

/** Shows inbound events, and lets people settle what failed. */
@Injectable()
export class InboundEventsService {
  constructor(
    private readonly db: Database,
    private readonly repository: InboundEventsRepository,
    private readonly connections: AtsConnectionStore,
    private readonly entries: WorkEntries,
    private readonly audit: AuditService,
  ) {}

  async list(
    { tenantId }: Pick<Caller, 'tenantId'>,
    connectionId: string,
    filter: InboundFilter,
    page: { after: string | null; limit: number },
  ): Promise<InboundEventRow[]> {
    await this.demand(tenantId, connectionId);
    const rows = await this.repository.list(tenantId, connectionId, filter, page);
    const reason = rows.some(isUnexplained) ? await this.waitingReason(tenantId, connectionId) : null;
    return rows.map((row) => (isUnexplained(row) ? { ...row, reason } : row));
  }

  /** @throws {NotFound} when the connection has no such event */
  async get({ tenantId }: Caller, connectionId: string, id: string): Promise<InboundEventBody> {
    await this.demand(tenantId, connectionId);
    const row = await this.repository.one(tenantId, connectionId, id);
    if (row === undefined) throw new NotFound('event');
    return isUnexplained(row) ? { ...row, reason: await this.waitingReason(tenantId, connectionId) } : row;
  }

  /** Lets an event be applied again. @throws {WrongEventState} where it is applied, waits, or has no body any more */
  async retry(caller: Caller, connectionId: string, id: string): Promise<InboundEventBody> {
    const { tenantId } = caller;
    await this.get(caller, connectionId, id);
    await this.db.transaction(tenantId, async (tx) => {
      const state = await this.repository.retry(tx, tenantId, connectionId, id);
      if (state !== null) throw new WrongEventState('The event is applied, waits, or its body is erased.');
      await this.note(tx, caller, 'ats_event.retried', connectionId, { event_id: id });
    });
    this.db.feed.wakeups.tell('work');
    return this.get(caller, connectionId, id);
  }

  async retryFailed(caller: Caller, connectionId: string): Promise<number> {
    const { tenantId } = caller;
    await this.demand(tenantId, connectionId);
    const retried = await this.db.transaction(tenantId, async (tx) => {
      const count = await this.repository.retryFailed(tx, tenantId, connectionId);
      if (count > 0) await this.note(tx, caller, 'ats_event.retried', connectionId, { retried: count });
      return count;
    });
    this.db.feed.wakeups.tell('work');
    return retried;
  }

  /** Dismisses an event. @throws {WrongEventState} where it neither failed nor waits */
  async dismiss(caller: Caller, connectionId: string, id: string, reason: string): Promise<InboundEventBody> {
    const { tenantId } = caller;
    await this.get(caller, connectionId, id);
    await this.db.transaction(tenantId, async (tx) => {
      const dismissed = await this.repository.dismiss(tx, tenantId, connectionId, id, reason);
      if (!dismissed) throw new WrongEventState('Only an event that failed or waits can be dismissed.');
      await this.note(tx, caller, 'ats_event.dismissed', connectionId, { event_id: id, reason });
    });
    return this.get(caller, connectionId, id);
  }

  private async waitingReason(tenantId: string, connectionId: string): Promise<string> {
    const connection = await this.demand(tenantId, connectionId);
    return waitingReason(connection, await this.entries.stateOf(tenantId, INBOUND_WORK, connectionId), new Date());
  }

  private async demand(tenantId: string, connectionId: string): Promise<AtsConnection> {
    const connection = await this.connections.get(tenantId, connectionId);
    if (connection === undefined) throw new NotFound('ATS connection');
    return connection;
  }

  private async note(
    tx: SqlRunner,
    { tenantId, actor, requestId }: Caller,
    action: string,
    targetId: string,
    after: object,
  ): Promise<void> {
    await this.audit.record(tx, { tenantId, actor, requestId, action, targetType: 'ats_connection', targetId, after });
  }
}

/** A tried event that waits has its own reason; another one has that of its connection. */
function isUnexplained({ state, reason }: InboundEventRow): boolean {
  return state === 'waiting' && reason === null;
}
