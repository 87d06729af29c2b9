import { Injectable } from '@nestjs/common';
import { AtsFailure } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import type { AtsConnection } from '../connections/connection.js';
import type { Connector } from '../connectors/connector.js';
import { OAuthClients } from '../oauth/oauth-clients.js';
import { TokenClient } from '../oauth/token-client.js';
import { AtsWebhooks } from './ats-webhooks.js';

/**
 * Ends a connection at its ATS. An ATS that is away or refuses does not keep the connection alive: each step adds what is
 * left to do there to `stays`, in words.
 */
@Injectable()
export class RemoteEnd {
  constructor(
    private readonly webhooks: AtsWebhooks,
    private readonly apis: AtsApis,
    private readonly clients: OAuthClients,
    private readonly tokens: TokenClient,
  ) {}

  /** Removes the webhooks; returns how many. */
  async removeWebhooks(connection: AtsConnection, connector: Connector, stays: string[]): Promise<number> {
    try {
      return await this.webhooks.remove(connection, connector, this.apis.of(connection));
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      stays.push(`The webhooks in ${connector.title} could not be removed (${error.reason}): remove them there.`);
      return 0;
    }
  }

  /** Revokes the grant; returns whether the ATS has. */
  async revoke(connection: AtsConnection, connector: Connector, stays: string[]): Promise<boolean> {
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
