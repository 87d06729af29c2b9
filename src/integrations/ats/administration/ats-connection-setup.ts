import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { newId } from '../../../base/ids.js';
import type { AuditBy } from '../../../tenancy/tenants/audit/audit.service.js';
import { TaskHandlers } from '../../../engine/work/task-handlers.js';
import { TaskFailed, TaskInterrupted, type Batch, type Task } from '../../../engine/work/task.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import { AtsFailure, type AtsApi } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import type { Connector } from '../connectors/connector.js';
import { connectorOf } from '../providers/providers.js';
import { AtsSync } from '../sync/ats-sync.js';
import { AtsAddresses } from '../connections/ats-addresses.js';
import { AtsConnectionsRepository } from '../connections/ats-connections.repository.js';
import { AtsWebhookSecretsRepository } from '../connections/ats-webhook-secrets.repository.js';
import { AtsConnectionReady } from '../connections/ats-connections.events.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsStates } from '../connections/ats-states.js';
import type { AtsConnection } from '../connections/connection.js';

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
    private readonly db: Database,
    private readonly repository: AtsConnectionsRepository,
    private readonly webhookSecrets: AtsWebhookSecretsRepository,
    private readonly store: AtsConnectionStore,
    private readonly states: AtsStates,
    private readonly apis: AtsApis,
    private readonly sync: AtsSync,
    private readonly events: DomainEvents,
    private readonly addresses: AtsAddresses,
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
    const connection = await this.store.get(key.tenantId, key.id);
    if (connection !== undefined) await this.events.publish(new AtsConnectionReady(connection));
    this.tasks.wake();
    this.sync.wake();
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
      const made = await this.makeWebhooks(connection, connector, api);
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

  /**
   * Makes the webhooks at the ATS, in place of those that an earlier set-up made: the token of their address is known in
   * this moment alone.
   */
  private async makeWebhooks(connection: AtsConnection, connector: Connector, api: AtsApi): Promise<number> {
    const rules = connector.webhooks;
    if (rules === null) return 0;
    await this.removeWebhooks(connection, connector, api);
    const { tenantId, id, provider } = connection;
    const token = newAtsToken();
    await this.db.transaction(tenantId, async (tx) => {
      await this.repository.row(tenantId, id, { db: tx, lock: true });
      await this.webhookSecrets.addToken(tx, connection, { id: newId('atk'), text: token, made: true });
    });
    const url = this.addresses.inbound(provider, token);
    // One secret for all: Ashby signs the ping of a webhook while it is made, and those before it are checked already.
    const wanted = randomBytes(32).toString('base64url');
    for (const event of rules.events) {
      const { remoteId, secret } = await rules.create(api, event, url, wanted);
      await this.db.transaction(tenantId, (tx) =>
        this.webhookSecrets.addSigningSecret(tx, tenantId, id, {
          id: newId('asg'),
          text: secret ?? wanted,
          made: { remoteId, event },
        }),
      );
    }
    await this.store.forget(tenantId);
    return rules.events.length;
  }

  /** Removes the webhooks that were made at the ATS, with their token, and what earlier set-ups left. @returns how many */
  async removeWebhooks(connection: AtsConnection, connector: Connector, api: AtsApi): Promise<number> {
    const { tenantId, id } = connection;
    const made = await this.webhookSecrets.madeWebhooks(tenantId, id);
    for (const { id: secretId, remote_id: remoteId } of made) {
      await connector.webhooks?.remove(api, remoteId);
      await this.db.transaction(tenantId, (tx) => this.webhookSecrets.removeSigningSecret(tx, tenantId, id, secretId));
    }
    await this.db.transaction(tenantId, (tx) => this.webhookSecrets.removeMadeTokens(tx, tenantId, id));
    await this.store.forget(tenantId);
    return made.length + (await this.removeLeftovers(connection, connector, api));
  }

  /**
   * Removes webhooks that a set-up made and did not store, since it or its answer was lost: they lead here, and no
   * connection has their token. Those of other connections to the same account have one that is known.
   */
  private async removeLeftovers({ provider }: AtsConnection, connector: Connector, api: AtsApi): Promise<number> {
    const { webhooks } = connector;
    let removed = 0;
    for (const { remoteId, url } of (await webhooks?.list?.(api)) ?? []) {
      const token = this.addresses.tokenIn(url, provider);
      if (token === null || (await this.store.gateOf(provider, token)) !== null) continue;
      await webhooks!.remove(api, remoteId);
      removed++;
    }
    return removed;
  }

  /** Notes on the connection what the ATS refused. @returns the error with which the task ends or waits */
  private async endOf(connection: AtsConnection, failure: AtsFailure): Promise<Error> {
    if (failure.kind === 'away') return new TaskInterrupted(failure.message, failure.retryAfterMs);
    if (failure.kind === 'refused') await this.states.problem(connection, 'grant', failure.reason);
    else await this.states.problem(connection, 'webhooks', 'webhooks_not_made');
    return new TaskFailed(failure.message);
  }
}

/** Returns a new token of the webhook address: 192 random bits. */
export function newAtsToken(): string {
  return `wht_${randomBytes(24).toString('base64url')}`;
}
