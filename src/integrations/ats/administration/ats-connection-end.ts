import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { AtsFailure } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import type { Connector } from '../connectors/connector.js';
import { connectorOf } from '../providers/providers.js';
import { OAuthClients } from '../oauth/oauth-clients.js';
import { TokenClient } from '../oauth/token-client.js';
import { AtsPublish } from '../publish/ats-publish.js';
import { AtsSync } from '../sync/ats-sync.js';
import type { DisconnectedBody } from '../connections/ats-connection-bodies.dto.js';
import { WrongAtsState } from '../connections/ats.errors.js';
import { AtsConnectionSetup } from './ats-connection-setup.js';
import { AtsConnectionViews } from '../connections/ats-connection-views.js';
import { AtsConnectionsRepository } from '../connections/ats-connections.repository.js';
import { AtsConnectionsService } from './ats-connections.service.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsRemoval } from './ats-removal.js';
import type { AtsConnection } from '../connections/connection.js';

/** Ends a connection, at its ATS and here. */
@Injectable()
export class AtsConnectionEnd {
  constructor(
    private readonly db: Database,
    private readonly connections: AtsConnectionsService,
    private readonly repository: AtsConnectionsRepository,
    private readonly store: AtsConnectionStore,
    private readonly views: AtsConnectionViews,
    private readonly setup: AtsConnectionSetup,
    private readonly apis: AtsApis,
    private readonly clients: OAuthClients,
    private readonly tokens: TokenClient,
    private readonly syncs: AtsSync,
    private readonly publish: AtsPublish,
    private readonly audit: AuditService,
    private readonly removal: AtsRemoval,
  ) {}

  /**
   * Removes the webhooks at the ATS, revokes the grant there, and forgets everything with which the ATS is called or
   * calls. An ATS that is away or refuses does not keep the connection alive: what is left to do there is said.
   */
  async disconnect(caller: Caller, id: string): Promise<DisconnectedBody> {
    const { tenantId, actor, requestId } = caller;
    const connection = await this.connections.connected(tenantId, id);
    const connector = connectorOf(connection.provider)!;
    const stays = [
      'Candidates and job openings stay, and can be changed through the API from now on. Interviews and scorecards stay.',
    ];
    const removed = await this.removeWebhooks(connection, connector, stays);
    const revoked = await this.revoke(connection, connector, stays);
    await this.db.transaction(tenantId, async (tx) => {
      await this.repository.row(tenantId, id, { db: tx, lock: true });
      await this.repository.disconnect(tx, tenantId, id);
      const left = await this.publish.remove(tx, connection);
      if (left > 0) stays.push(`${left} writes had not reached the ATS; they are left.`);
      const events = await this.syncs.remove(tx, connection);
      if (events > 0) stays.push(`${events} webhooks of the ATS had not been applied; they are dismissed.`);
      const after = { webhooks_removed: removed, revoked };
      const line = { action: 'ats_connection.disconnected', targetType: 'ats_connection', targetId: id, after };
      await this.audit.record(tx, { tenantId, actor, requestId, ...line });
    });
    await this.store.forget(tenantId);
    return { ...(await this.views.one(tenantId, id)), webhooks_removed: removed, revoked, stays };
  }

  /**
   * Removes a connection that is disconnected. Its records stay, and are the API's; what came in, and what was written, goes.
   *
   * @throws {NotFound} when the tenant has no such connection
   * @throws {WrongAtsState} when it is not disconnected
   */
  async remove(caller: Caller, id: string): Promise<void> {
    const { tenantId, actor, requestId } = caller;
    await this.db.transaction(tenantId, async (tx) => {
      const before = await this.repository.row(tenantId, id, { db: tx, lock: true });
      if (before === undefined) throw new NotFound('ATS connection');
      if (before.state !== 'disconnected') throw new WrongAtsState('The connection has to be disconnected first.');
      await this.repository.remove(tx, tenantId, id);
      await this.removal.begin(tx, { tenantId, id });
      const line = { action: 'ats_connection.deleted', targetType: 'ats_connection', targetId: id };
      await this.audit.record(tx, { tenantId, actor, requestId, ...line });
    });
    await this.store.forget(tenantId);
    this.removal.wake();
  }

  private async removeWebhooks(connection: AtsConnection, connector: Connector, stays: string[]): Promise<number> {
    try {
      return await this.setup.removeWebhooks(connection, connector, this.apis.of(connection));
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
    const client = this.clients.of(connection.provider);
    const region = this.clients.region(connector, connection.region);
    const token = credential.refreshToken ?? credential.accessToken;
    const revoked =
      client !== null &&
      region !== undefined &&
      (await this.tokens.revoke({ tenantId, connector, region, client }, token));
    if (!revoked) stays.push(`The grant was not revoked in ${connector.title}: remove the app there.`);
    return revoked;
  }
}
