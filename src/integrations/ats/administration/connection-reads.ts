import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { NotFound } from '../../../base/errors/domain-error.js';
import type { Page, PageRequest } from '../../../base/http/page.js';
import { newId } from '../../../base/ids.js';
import { AuditService } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { AtsFailure } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import type {
  AtsConnectionBody,
  AtsTestBody,
  AtsUserBody,
  AtsConnectionWithTokenBody,
} from '../connections/ats-connections.dto.js';
import { AtsStates } from '../connections/ats-states.js';
import { AtsWebhookSecretsRepository } from '../connections/ats-webhook-secrets.repository.js';
import { WrongAtsState } from '../connections/ats.errors.js';
import { connectorOf } from '../providers/providers.js';
import { AtsSync } from '../sync/ats-sync.js';
import { AtsUsers } from './ats-users.js';
import { AtsConnectionChanges } from './connections.service.js';
import { newAtsToken } from './webhooks.js';

const NO_CREDENTIAL = 'The connection has no credential';

/** Reads an ATS on request, and manages the tokens and signing secrets of inbound webhooks. */
@Injectable()
export class AtsConnectionReads {
  constructor(
    private readonly db: Database,
    private readonly changes: AtsConnectionChanges,
    private readonly states: AtsStates,
    private readonly apis: AtsApis,
    private readonly syncs: AtsSync,
    private readonly audit: AuditService,
    private readonly users: AtsUsers,
    private readonly webhookSecrets: AtsWebhookSecretsRepository,
  ) {}

  /**
   * @throws {NotFound} when the tenant has no such connection
   * @throws {WrongAtsState} when the connection is disconnected
   */
  async test({ tenantId }: Caller, id: string): Promise<AtsTestBody> {
    const connection = await this.changes.connected(tenantId, id);
    try {
      const detail = await connectorOf(connection.provider)!.test(this.apis.of(connection));
      await this.states.solved(connection, 'grant');
      return { ok: true, reason: null, detail };
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      if (error.kind === 'refused') await this.states.problem(connection, 'grant', error.reason);
      return { ok: false, reason: error.reason, detail: error.message };
    }
  }

  /**
   * @throws {WrongAtsState} when the connection is disconnected, or has no credential
   * @throws {NoUsersKnown} when the ATS refuses the call or gives no answer
   */
  async usersOf(tenantId: string, id: string, page: PageRequest): Promise<Page<AtsUserBody>> {
    const connection = await this.changes.connected(tenantId, id);
    if (connection.credential === null) throw new WrongAtsState(`${NO_CREDENTIAL}, so its users are not known.`);
    return this.users.page(connection, connectorOf(connection.provider)!, page);
  }

  /** @throws {WrongAtsState} when the connection is disconnected or paused, or has no credential */
  async sync(caller: Caller, id: string, full: boolean): Promise<AtsConnectionBody> {
    const { tenantId, actor, requestId } = caller;
    const connection = await this.changes.connected(tenantId, id);
    if (connection.paused) throw new WrongAtsState('The connection is paused. Resume it first.');
    if (!(await this.syncs.now(connection, 'by_hand', { full }))) {
      throw new WrongAtsState(`${NO_CREDENTIAL}, so nothing can be read from the ATS.`);
    }
    const line = { action: 'ats_connection.sync_begun', targetType: 'ats_connection', targetId: id, after: { full } };
    await this.audit.record(this.db, { tenantId, actor, requestId, ...line });
    return this.states.view(tenantId, id);
  }

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
    return { ...(await this.states.view(tenantId, id)), api_token: token };
  }

  /** Ends a token now. @throws {NotFound} when the connection has no such token */
  async removeToken(caller: Caller, id: string, tokenId: string): Promise<void> {
    await this.changes.connected(caller.tenantId, id);
    await this.changes.change(caller, id, 'ats_connection.token_removed', async (tx, before) => {
      if (!(await this.webhookSecrets.removeToken(tx, caller.tenantId, id, tokenId))) throw new NotFound('token');
      return before;
    });
  }

  /** Replaces the signing secret that was set by hand; null ends the check of signatures. */
  async setSigningSecret(caller: Caller, id: string, secret: string | null): Promise<AtsConnectionBody> {
    const { tenantId } = caller;
    const connection = await this.changes.connected(tenantId, id);
    await this.changes.change(caller, id, 'ats_connection.signing_secret_set', async (tx, before) => {
      if (secret === null) await this.webhookSecrets.removeHandMadeSecrets(tx, tenantId, id);
      else await this.webhookSecrets.addSigningSecret(tx, tenantId, id, { id: newId('asg'), text: secret, made: null });
      return before;
    });
    if (secret === null) await this.states.solved(connection, 'signature');
    return this.states.view(tenantId, id);
  }
}
