import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import type { AuditBy } from '../../../tenancy/tenants/audit/audit.service.js';
import { TaskHandlers } from '../../../engine/work/task-handlers.js';
import { TaskFailed, TaskInterrupted, type Batch, type Task } from '../../../engine/work/task.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import { AtsFailure, type AtsApi } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import type { Connector } from '../connectors/connector.js';
import { connectorOf } from '../providers/providers.js';
import { AtsSync } from '../sync/ats-sync.js';
import { AtsConnectionsRepository } from '../connections/ats-connections.repository.js';
import { AtsConnectionReady } from '../connections/ats-connections.events.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsStates } from '../connections/ats-states.js';
import type { AtsConnection } from '../connections/connection.js';
import { AtsWebhooks } from './ats-webhooks.js';

type Key = Pick<AtsConnection, 'tenantId' | 'id' | 'provider'>;

interface SetupPayload {
  connection_id: string;
  /** The user of this service who approved the connection; null: a key or a connect link made it. */
  user_id: string | null;
}

/**
 * Sets a new or renewed connection up: its approver, its webhooks through the API of the ATS, its first sync. All of it
 * is a task, so that it continues after a crash, and shows what failed.
 */
@Injectable()
export class AtsConnectionSetup {
  constructor(
    private readonly repository: AtsConnectionsRepository,
    private readonly webhooks: AtsWebhooks,
    private readonly store: AtsConnectionStore,
    private readonly states: AtsStates,
    private readonly apis: AtsApis,
    private readonly sync: AtsSync,
    private readonly events: DomainEvents,
    private readonly tasks: TasksRepository,
    handlers: TaskHandlers,
  ) {
    handlers.add<SetupPayload & Record<string, unknown>>(['ats.connect'], {
      run: (task) => this.run(task),
      callsOut: true,
    });
  }

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

  private async run({ tenantId, payload }: Task<SetupPayload & Record<string, unknown>>): Promise<Batch> {
    const connection = await this.store.fresh(tenantId, payload.connection_id);
    const connector = connection === undefined ? undefined : connectorOf(connection.provider);
    if (connection === undefined || connector === undefined || connection.credential === null) {
      return { done: 0, next: null }; // Disconnected since.
    }
    const api = this.apis.of(connection);
    try {
      await this.noteApprover(connection, connector, api, payload.user_id);
      const made = await this.webhooks.make(connection, connector, api);
      return { done: 1 + made, next: null, result: { webhooks: made } };
    } catch (error) {
      throw error instanceof AtsFailure ? await this.endOf(connection, error) : error;
    }
  }

  /**
   * Notes the approver, a user of the ATS: the owner of the credential, else the one with the person's e-mail.
   *
   * @returns whether there is such a user
   * @throws {AtsFailure} when the ATS refuses the call or gives no answer
   */
  async noteApprover(
    connection: AtsConnection,
    connector: Connector,
    api: AtsApi,
    userId: string | null,
  ): Promise<boolean> {
    const email = userId === null ? null : await this.repository.emailOf(connection.tenantId, userId);
    const user =
      (await connector.self?.(api)) ?? (email === null ? null : await connector.userByEmail?.(api, email)) ?? null;
    if (user === null) return false;
    await this.repository.setApprover(connection.tenantId, connection.id, user.id);
    await this.store.forget(connection.tenantId);
    await this.events.publish(new AtsConnectionReady({ ...connection, approvedBy: user.id }));
    return true;
  }

  /** Notes on the connection what the ATS refused. @returns the error with which the task ends or waits */
  private async endOf(connection: AtsConnection, failure: AtsFailure): Promise<Error> {
    if (failure.kind === 'away') return new TaskInterrupted(failure.message, failure.retryAfterMs);
    if (failure.kind === 'refused') await this.states.problem(connection, 'grant', failure.reason);
    else await this.states.problem(connection, 'webhooks', 'webhooks_not_made');
    return new TaskFailed(failure.message);
  }
}
