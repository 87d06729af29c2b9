import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { newId } from '../../../base/ids.js';
import type { AtsApi } from '../api/ats-api.js';
import { AtsConnectionsRepository } from '../connections/ats-connections.repository.js';
import { AtsAddresses, AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsWebhookSecretsRepository } from '../connections/ats-webhook-secrets.repository.js';
import type { AtsConnection } from '../connections/connection.js';
import type { Connector } from '../connectors/connector.js';

@Injectable()
export class AtsWebhooks {
  constructor(
    private readonly db: Database,
    private readonly repository: AtsConnectionsRepository,
    private readonly webhookSecrets: AtsWebhookSecretsRepository,
    private readonly store: AtsConnectionStore,
    private readonly addresses: AtsAddresses,
  ) {}

  /**
   * Makes the webhooks at the ATS, and replaces those of an earlier set-up, since the token of their address is no
   * longer known.
   *
   * @returns how many were made, and how many were there before
   */
  async make(
    connection: AtsConnection,
    connector: Connector,
    api: AtsApi,
  ): Promise<{ made: number; replaced: number }> {
    const rules = connector.webhooks;
    if (rules === null) return { made: 0, replaced: 0 };
    const replaced = await this.remove(connection, connector, api);
    const { tenantId, id, provider } = connection;
    const token = newAtsToken();
    await this.db.transaction(tenantId, async (tx) => {
      await this.repository.row(tenantId, id, { db: tx, lock: true });
      await this.webhookSecrets.addToken(tx, connection, { id: newId('atk'), text: token, made: true });
    });
    const url = this.addresses.inbound(provider, token);
    // One secret for all: Ashby signs the ping of a webhook while it is made, and the former ones are checked already.
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
    return { made: rules.events.length, replaced };
  }

  /** Removes the webhooks made at the ATS, their token, and leftovers of earlier set-ups. @returns how many */
  async remove(connection: AtsConnection, connector: Connector, api: AtsApi): Promise<number> {
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
   * Removes webhooks that a set-up made and did not store, because the process or the answer was lost: they lead here,
   * and no connection has their token. Other connections to the same account know the tokens of theirs.
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
}

export function newAtsToken(): string {
  return `wht_${randomBytes(24).toString('base64url')}`;
}
