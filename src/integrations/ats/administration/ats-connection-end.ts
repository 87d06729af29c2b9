import { Injectable } from '@nestjs/common';
import { NotFound } from '../../../base/errors/domain-error.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { connectorOf } from '../providers/providers.js';
import { AtsPublish } from '../publish/ats-publish.js';
import { AtsSync } from '../sync/ats-sync.js';
import type { DisconnectedBody } from '../connections/ats-connection-bodies.dto.js';
import { WrongAtsState } from '../connections/ats.errors.js';
import { AtsConnectionViews } from '../connections/ats-connection-views.js';
import { AtsConnectionsRepository } from '../connections/ats-connections.repository.js';
import { AtsConnectionChanges } from './ats-connection-changes.js';
import { AtsRemoval } from './ats-removal.js';
import { RemoteEnd } from './remote-end.js';

/** Ends a connection, at its ATS and here. */
@Injectable()
export class AtsConnectionEnd {
  constructor(
    private readonly changes: AtsConnectionChanges,
    private readonly repository: AtsConnectionsRepository,
    private readonly views: AtsConnectionViews,
    private readonly remote: RemoteEnd,
    private readonly syncs: AtsSync,
    private readonly publish: AtsPublish,
    private readonly removal: AtsRemoval,
  ) {}

  /**
   * Removes the webhooks at the ATS, revokes the grant there, and forgets everything with which the ATS is called or
   * calls. An ATS that is away or refuses does not keep the connection alive: what is left to do there is said.
   */
  async disconnect(caller: Caller, id: string): Promise<DisconnectedBody> {
    const { tenantId } = caller;
    const connection = await this.changes.connected(tenantId, id);
    const connector = connectorOf(connection.provider)!;
    const stays = [
      'Candidates and job openings stay, and can be changed through the API from now on. Interviews and scorecards stay.',
    ];
    const removed = await this.remote.removeWebhooks(connection, connector, stays);
    const revoked = await this.remote.revoke(connection, connector, stays);
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
    return { ...(await this.views.one(tenantId, id)), webhooks_removed: removed, revoked, stays };
  }

  /**
   * Removes a connection that is disconnected. Its records stay, and are the API's; what came in, and what was written, goes.
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
      await this.removal.begin(tx, { tenantId, id });
      await this.changes.note(tx, caller, 'ats_connection.deleted', id, {});
    });
    this.removal.wake();
  }
}
