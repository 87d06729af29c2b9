import { Injectable } from '@nestjs/common';
import { NotFound } from '../../../base/errors/domain-error.js';
import { newId } from '../../../base/ids.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import type { AtsConnectionBody, AtsConnectionWithTokenBody } from '../connections/ats-connection-bodies.dto.js';
import { AtsConnectionViews } from '../connections/ats-connection-views.js';
import { AtsStates } from '../connections/ats-states.js';
import { AtsWebhookSecretsRepository } from '../connections/ats-webhook-secrets.repository.js';
import { AtsConnectionChanges } from './ats-connection-changes.js';
import { newAtsToken } from './ats-webhooks.js';

/** The administration of what webhooks of an ATS come in with: tokens of the address, and the secret that signs. */
@Injectable()
export class AtsWebhookAccess {
  constructor(
    private readonly changes: AtsConnectionChanges,
    private readonly webhookSecrets: AtsWebhookSecretsRepository,
    private readonly views: AtsConnectionViews,
    private readonly states: AtsStates,
  ) {}

  /** Adds a token of the webhook address beside the present one. Only this answer shows it. */
  async addToken(caller: Caller, id: string, sent: string | undefined): Promise<AtsConnectionWithTokenBody> {
    const { tenantId } = caller;
    const connection = await this.changes.connected(tenantId, id);
    const token = await this.changes.make(caller, async (tx) => {
      const text = sent ?? newAtsToken();
      await this.changes.changeIn(tx, caller, id, 'ats_connection.token_added', async (_, before) => {
        await this.webhookSecrets.addToken(tx, connection, { id: newId('atk'), text, made: false });
        return before;
      });
      return text;
    });
    return { ...(await this.views.one(tenantId, id)), api_token: token };
  }

  /**
   * Ends a token now.
   *
   * @throws {NotFound} when the connection has no such token
   */
  async removeToken(caller: Caller, id: string, tokenId: string): Promise<void> {
    await this.changes.connected(caller.tenantId, id);
    await this.changes.change(caller, id, 'ats_connection.token_removed', async (tx, before) => {
      if (!(await this.webhookSecrets.removeToken(tx, caller.tenantId, id, tokenId))) throw new NotFound('token');
      return before;
    });
  }

  /** Sets the secret that the ATS signs with, in place of one that was set by hand; null: signatures are not checked. */
  async setSigningSecret(caller: Caller, id: string, secret: string | null): Promise<AtsConnectionBody> {
    const { tenantId } = caller;
    const connection = await this.changes.connected(tenantId, id);
    await this.changes.change(caller, id, 'ats_connection.signing_secret_set', async (tx, before) => {
      if (secret === null) await this.webhookSecrets.removeHandMadeSecrets(tx, tenantId, id);
      else await this.webhookSecrets.addSigningSecret(tx, tenantId, id, { id: newId('asg'), text: secret, made: null });
      return before;
    });
    if (secret === null) await this.states.solved(connection, 'signature');
    return this.views.one(tenantId, id);
  }
}
