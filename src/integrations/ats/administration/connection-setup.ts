import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { TaskHandlers, TaskFailed, TaskInterrupted, type Batch, type Task } from '../../../engine/work/task.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import type { AuditBy } from '../../../tenancy/tenants/audit/audit.service.js';
import { AtsFailure } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsStates } from '../connections/ats-states.js';
import { AtsConnectionReady } from '../connections/ats.errors.js';
import type { AtsConnection } from '../connections/connection.js';
import { connectorOf } from '../providers/providers.js';
import { AtsSync } from '../sync/ats-sync.js';
import { AtsUsers } from './ats-users.js';
import { AtsWebhooks } from './webhooks.js';

interface SetupPayload {
  connection_id: string;
  /** The user of this service who approved the connection; null when a key or a connect link made it. */
  user_id: string | null;
}

type Key = Pick<AtsConnection, 'tenantId' | 'id' | 'provider'>;

/**
 * Sets up a new or renewed connection: its first sync at once; its approver and its webhooks at the ATS in a task,
 * which resumes after a crash and shows its failure.
 */
@Injectable()
export class AtsConnectionSetup {
  constructor(
    private readonly store: AtsConnectionStore,
    private readonly states: AtsStates,
    private readonly sync: AtsSync,
    private readonly events: DomainEvents,
    private readonly tasks: TasksRepository,
    private readonly apis: AtsApis,
    private readonly users: AtsUsers,
    private readonly webhooks: AtsWebhooks,
    handlers: TaskHandlers,
  ) {
    handlers.add<SetupPayload & Record<string, unknown>>(['ats.connect'], {
      run: (task) => this.run(task),
      callsOut: true,
    });
  }

  async begin(tx: SqlRunner, by: AuditBy, key: Key, userId: string | null = null): Promise<void> {
    await this.sync.begin(tx, key);
    const payload: SetupPayload = { connection_id: key.id, user_id: userId };
    await this.tasks.add(tx, key.tenantId, { kind: 'ats.connect', payload, createdBy: by.actor });
  }

  /** Notes, after the commit, that the connection has a new credential without problems. */
  async begun(key: Key, missingScopes: readonly string[]): Promise<void> {
    await this.store.forget(key.tenantId);
    await this.states.solved(key, 'grant');
    if (missingScopes.length === 0) await this.states.solved(key, 'scopes');
    else await this.states.problem(key, 'scopes', 'scopes_missing');
    await this.ready(key.tenantId, key.id);
    this.tasks.wake();
    this.sync.wake();
  }

  async ready(tenantId: string, id: string): Promise<void> {
    const connection = await this.store.get(tenantId, id);
    if (connection !== undefined) await this.events.publish(new AtsConnectionReady(connection));
  }

  private async run({ tenantId, payload }: Task<SetupPayload & Record<string, unknown>>): Promise<Batch> {
    const connection = await this.store.fresh(tenantId, payload.connection_id);
    const connector = connection === undefined ? undefined : connectorOf(connection.provider);
    if (connection === undefined || connector === undefined || connection.credential === null) {
      return { done: 0, next: null }; // Disconnected since.
    }
    const api = this.apis.of(connection);
    try {
      await this.users.noteApprovers(connection, connector, api, payload.user_id);
      const { made, replaced } = await this.webhooks.make(connection, connector, api);
      // No webhook reported changes while those of an earlier set-up were replaced.
      if (replaced > 0) await this.sync.now(connection, 'webhooks_made', { full: false });
      return { done: 1 + made, next: null, result: { webhooks: made } };
    } catch (error) {
      throw error instanceof AtsFailure ? await this.endOf(connection, error) : error;
    }
  }

  /** Notes the refusal of the ATS on the connection. @returns the error with which the task ends or waits */
  private async endOf(connection: AtsConnection, failure: AtsFailure): Promise<Error> {
    if (failure.kind === 'away') return new TaskInterrupted(failure.message, failure.retryAfterMs);
    if (failure.kind === 'refused') await this.states.problem(connection, 'grant', failure.reason);
    else await this.states.problem(connection, 'webhooks', 'webhooks_not_made');
    return new TaskFailed(failure.message);
  }
}
