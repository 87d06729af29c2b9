import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import type { AuditBy } from '../../../tenancy/tenants/audit/audit.service.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import { AtsSync } from '../sync/ats-sync.js';
import { AtsConnectionReady } from '../connections/ats-connections.events.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsStates } from '../connections/ats-states.js';
import type { AtsConnection } from '../connections/connection.js';
import type { SetupPayload } from './ats-setup-task.js';

type Key = Pick<AtsConnection, 'tenantId' | 'id' | 'provider'>;

/** Begins to set a new or renewed connection up: its first sync, and the task for the rest. */
@Injectable()
export class AtsConnectionSetup {
  constructor(
    private readonly store: AtsConnectionStore,
    private readonly states: AtsStates,
    private readonly sync: AtsSync,
    private readonly events: DomainEvents,
    private readonly tasks: TasksRepository,
  ) {}

  /** Puts down the work, in the transaction that gives the connection its credential. */
  async begin(tx: SqlRunner, by: AuditBy, key: Key, userId: string | null = null): Promise<void> {
    await this.sync.begin(tx, key);
    const payload: SetupPayload = { connection_id: key.id, user_id: userId };
    await this.tasks.add(tx, key.tenantId, { kind: 'ats.connect', payload, createdBy: by.actor });
  }

  /** After the commit: the connection has a credential that nothing has refused. */
  async begun(key: Key, missingScopes: readonly string[]): Promise<void> {
    await this.store.forget(key.tenantId);
    await this.states.solved(key, 'grant');
    if (missingScopes.length === 0) await this.states.solved(key, 'scopes');
    else await this.states.problem(key, 'scopes', 'scopes_missing');
    await this.ready(key.tenantId, key.id);
    this.tasks.wake();
    this.sync.wake();
  }

  /** Tells that a connection can be read and written to. */
  async ready(tenantId: string, id: string): Promise<void> {
    const connection = await this.store.get(tenantId, id);
    if (connection !== undefined) await this.events.publish(new AtsConnectionReady(connection));
  }
}
