import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { TaskHandlers, type Batch, type Task } from '../../../engine/work/task.js';
import { TasksRepository } from '../../../engine/work/tasks.repository.js';
import { systemActor } from '../../../tenancy/identity/person.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { AtsFailure } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import type { DisconnectedBody } from '../connections/ats-connections.dto.js';
import { AtsConnectionsRepository } from '../connections/ats-connections.repository.js';
import { AtsStates } from '../connections/ats-states.js';
import { WrongAtsState } from '../connections/ats.errors.js';
import type { AtsConnection } from '../connections/connection.js';
import type { Connector } from '../connectors/connector.js';
import { TokenClient } from '../oauth/token-client.js';
import { connectorOf } from '../providers/providers.js';
import { AtsPublish } from '../publish/ats-publish.js';
import { AtsSync } from '../sync/ats-sync.js';
import { AtsConnectionChanges } from './connections.service.js';
import { AtsWebhooks } from './webhooks.js';

interface RemovalPayload {
  connectionId: string;
}

/** Rows of one batch: none holds its locks for long. */
const BATCH = 5_000;

/** Events go before records, because an erased candidate finds its events by them. */
const LEFT = [
  `delete from ats_events where tenant_id = $1 and connection_id = $2 and id = any(array(
     select e.id from ats_events e where e.tenant_id = $1 and e.connection_id = $2 order by e.id limit ${BATCH}))`,
  `delete from ats_event_keys where tenant_id = $1 and connection_id = $2 and key = any(array(
     select k.key from ats_event_keys k where k.tenant_id = $1 and k.connection_id = $2 order by k.key limit ${BATCH}))`,
  ...['candidate', 'job'].map(
    (kind) => `delete from ats_records where tenant_id = $1 and connection_id = $2 and kind = '${kind}'
     and remote_id = any(array(
       select r.remote_id from ats_records r where r.tenant_id = $1 and r.connection_id = $2 and r.kind = '${kind}'
       order by r.remote_id limit ${BATCH}))`,
  ),
  `delete from ats_writes where tenant_id = $1 and id = any(array(
     select w.id from ats_writes w where w.tenant_id = $1 and w.connection_id = $2 order by w.id limit ${BATCH}))`,
  `delete from ats_runs where tenant_id = $1 and connection_id = $2`,
  `delete from ats_paces where tenant_id = $1 and connection_id = $2`,
] as const;

/**
 * Ends a connection, at its ATS and here. An unreachable or refusing ATS does not keep the connection alive: each step
 * adds its remaining work there to `stays`, in words. The rows of a removed connection go in a task, since there can
 * be millions.
 */
@Injectable()
export class AtsConnectionEnd {
  constructor(
    private readonly changes: AtsConnectionChanges,
    private readonly repository: AtsConnectionsRepository,
    private readonly states: AtsStates,
    private readonly syncs: AtsSync,
    private readonly publish: AtsPublish,
    private readonly webhooks: AtsWebhooks,
    private readonly apis: AtsApis,
    private readonly clients: TokenClient,
    private readonly db: Database,
    private readonly tasks: TasksRepository,
    handlers: TaskHandlers,
  ) {
    handlers.add<RemovalPayload>(['ats.remove'], { run: (task) => this.run(task), cancellable: false });
  }

  /**
   * Removes the webhooks at the ATS, revokes the grant there, and deletes all credentials of both directions. The
   * answer names what is left to do at an ATS that is unreachable or refuses.
   */
  async disconnect(caller: Caller, id: string): Promise<DisconnectedBody> {
    const { tenantId } = caller;
    const connection = await this.changes.connected(tenantId, id);
    const connector = connectorOf(connection.provider)!;
    const stays = [
      'Candidates and job openings stay, and can be changed through the API from now on. Interviews and scorecards stay.',
    ];
    const removed = await this.removeWebhooks(connection, connector, stays);
    const revoked = await this.revoke(connection, connector, stays);
    await this.changes.run(tenantId, async (tx) => {
      await this.repository.row(tenantId, id, { db: tx, lock: true });
      await this.repository.disconnect(tx, tenantId, id);
      const left = await this.publish.remove(tx, connection);
      if (left > 0) stays.push(`${left} writes had not reached the ATS; they are left.`);
      const events = await this.syncs.remove(tx, connection);
      if (events > 0) stays.push(`${events} webhooks of the ATS had not been applied; they are dismissed.`);
      const after = { webhooks_removed: removed, revoked };
      await this.changes.note(tx, caller, 'ats_connection.disconnected', id, { after });
    });
    return { ...(await this.states.view(tenantId, id)), webhooks_removed: removed, revoked, stays };
  }

  /**
   * Removes a disconnected connection. Its records stay, and belong to the API; its events and writes are removed.
   *
   * @throws {NotFound} when the tenant has no such connection
   * @throws {WrongAtsState} when it is not disconnected
   */
  async remove(caller: Caller, id: string): Promise<void> {
    const { tenantId } = caller;
    await this.changes.run(tenantId, async (tx) => {
      const before = await this.repository.row(tenantId, id, { db: tx, lock: true });
      if (before === undefined) throw new NotFound('ATS connection');
      if (before.state !== 'disconnected') throw new WrongAtsState('The connection has to be disconnected first.');
      await this.repository.remove(tx, tenantId, id);
      const payload: RemovalPayload = { connectionId: id };
      await this.tasks.add(tx, tenantId, { kind: 'ats.remove', payload, createdBy: systemActor('ats') });
      await this.changes.note(tx, caller, 'ats_connection.deleted', id, {});
    });
    this.tasks.wake();
  }

  private async removeWebhooks(connection: AtsConnection, connector: Connector, stays: string[]): Promise<number> {
    try {
      return await this.webhooks.remove(connection, connector, this.apis.of(connection));
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      stays.push(`The webhooks in ${connector.title} could not be removed (${error.reason}): remove them there.`);
      return 0;
    }
  }

  private async revoke(connection: AtsConnection, connector: Connector, stays: string[]): Promise<boolean> {
    const { tenantId, credential } = connection;
    if (credential === null) return false;
    if (credential.kind !== 'oauth') {
      stays.push(`The key stays valid in ${connector.title}: revoke it there.`);
      return false;
    }
    const client = this.clients.clientOf(connection.provider);
    const region = this.clients.region(connector, connection.region);
    const token = credential.refreshToken ?? credential.accessToken;
    const revoked =
      client !== null &&
      region !== undefined &&
      (await this.clients.revoke({ tenantId, connector, region, client }, token));
    if (!revoked) stays.push(`The grant was not revoked in ${connector.title}: remove the app there.`);
    return revoked;
  }

  private async run({ tenantId, payload }: Task<RemovalPayload>): Promise<Batch> {
    for (const sql of LEFT) {
      const { rowCount } = await this.db.query(sql, [tenantId, payload.connectionId]);
      if (rowCount !== null && rowCount > 0) return { done: rowCount, next: payload };
    }
    return { done: 0, next: null };
  }
}
