import { Injectable } from '@nestjs/common';
import { newId } from '../../../base/ids.js';
import { demandPlainName } from '../../../tenancy/tenants/tenants.service.js';
import type { AuditBy } from '../../../tenancy/tenants/audit/audit.service.js';
import { demandRoom } from '../../../tenancy/tenants/caps.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { ATS_CONNECTIONS_CAP } from '../connections/ats-connections.cap.js';
import type { AtsConnectionBody, AtsConnectionWithTokenBody } from '../connections/ats-connection-bodies.dto.js';
import { AtsConnectionViews } from '../connections/ats-connection-views.js';
import { atsAuditView } from '../connections/ats-connection.mapping.js';
import type { ChangeAtsConnection, CreateAtsConnection } from '../connections/ats-connections.dto.js';
import { AtsConnectionsRepository } from '../connections/ats-connections.repository.js';
import { freeMarker, takesOf } from '../connections/ats-settings.rules.js';
import { AtsWebhookSecretsRepository } from '../connections/ats-webhook-secrets.repository.js';
import { atsConnectionDraft } from '../connections/connection.js';
import { connectorOf } from '../providers/providers.js';
import { AtsConnectionChanges } from './ats-connection-changes.js';
import { AtsConnectionInput } from './ats-connection-input.js';
import { AtsConnectionSetup } from './ats-connection-setup.js';
import { newAtsToken } from './ats-webhooks.js';
import { SameAccount } from './same-account.js';

/** The administration of connections to ATSs. */
@Injectable()
export class AtsConnectionsService {
  constructor(
    private readonly changes: AtsConnectionChanges,
    private readonly input: AtsConnectionInput,
    private readonly account: SameAccount,
    private readonly repository: AtsConnectionsRepository,
    private readonly webhookSecrets: AtsWebhookSecretsRepository,
    private readonly views: AtsConnectionViews,
    private readonly setup: AtsConnectionSetup,
  ) {}

  /**
   * Makes a connection. With a credential it is read from at once; without one, only webhooks come in.
   *
   * @throws {InvalidFields} for settings or a credential that do not fit the connector
   * @throws {MarkerTaken} when another connection of the tenant has the marker
   * @throws {AtsAccountTaken} when another connection of the tenant is of the account
   * @throws {InvalidFields} when another connection to this provider has the token
   */
  async create(caller: Caller, input: CreateAtsConnection): Promise<AtsConnectionWithTokenBody> {
    const { tenantId } = caller;
    const connector = connectorOf(input.provider)!; // Validated.
    const { region, writes, credential, baseUrl } = await this.input.ofNew(tenantId, connector, input);
    const [newConnectionId, newToken] = [newId('ats'), input.api_token ?? newAtsToken()];
    const takes = takesOf(input.takes);
    const draft = atsConnectionDraft({
      tenantId,
      id: newConnectionId,
      connector,
      region,
      baseUrl,
      takes,
      writes,
      credential,
    });
    await this.input.demandKnown(draft, connector, input.writes?.as_user, credential);
    const { id, token } = await this.changes.make(caller, async (tx) => {
      const made = { id: newConnectionId, token: newToken };
      await demandRoom(tx, ATS_CONNECTIONS_CAP, tenantId);
      if (credential !== null) await this.account.demandFreeKey(tx, draft, connector, credential);
      const taken = new Set((await this.repository.rows(tenantId, tx)).map(({ marker }) => marker));
      const marker = input.marker ?? freeMarker(connector.marker, taken);
      if (input.name !== undefined) demandPlainName(input.name);
      const [{ provider }, name] = [connector, input.name ?? connector.title];
      const key = { tenantId, id: made.id, provider };
      const more = { approvedBy: null, grantedScopes: null, createdBy: caller.actor };
      await this.repository.insert(tx, { ...key, name, region, baseUrl, marker, takes, writes, credential, ...more });
      await this.webhookSecrets.addToken(tx, key, { id: newId('atk'), text: made.token, made: false });
      if (input.signing_secret !== undefined) {
        const secret = { id: newId('asg'), text: input.signing_secret, made: null };
        await this.webhookSecrets.addSigningSecret(tx, tenantId, made.id, secret);
      }
      if (credential !== null) await this.setup.begin(tx, caller, key);
      await this.changes.note(tx, caller, 'ats_connection.created', made.id, {
        after: atsAuditView({ provider, name, marker, takes, writes }),
      });
      return made;
    });
    if (credential !== null) await this.setup.begun({ tenantId, id, provider: connector.provider }, []);
    return { ...(await this.views.one(tenantId, id)), api_token: token };
  }

  /** Changes the named settings; what is left out stays. Another credential sets the connection up anew. */
  async change(caller: AuditBy, id: string, input: ChangeAtsConnection): Promise<AtsConnectionBody> {
    const { tenantId } = caller;
    const connection = await this.changes.connected(tenantId, id);
    const connector = connectorOf(connection.provider)!;
    const { writes, credential } = this.input.ofChange(connection, connector, input);
    await this.input.demandKnown(connection, connector, input.writes?.as_user, credential);
    await this.changes.change(caller, id, 'ats_connection.changed', async (tx, before) => {
      if (input.name !== undefined) demandPlainName(input.name, before.name);
      const after = { name: input.name ?? before.name, takes: takesOf(input.takes, before.takes), writes };
      await this.repository.update(tx, tenantId, id, after);
      if (credential !== null) {
        await this.repository.setCredential(tx, tenantId, id, credential);
        await this.setup.begin(tx, caller, connection);
      }
      return { ...before, ...after };
    });
    if (credential !== null) await this.setup.begun(connection, []);
    else await this.setup.ready(tenantId, id);
    return this.views.one(tenantId, id);
  }

  /** Stops polls, applying and writes; webhooks are still stored. */
  async pause(caller: Caller, id: string, paused: boolean): Promise<AtsConnectionBody> {
    const { tenantId } = caller;
    await this.changes.connected(tenantId, id);
    await this.changes.change(
      caller,
      id,
      paused ? 'ats_connection.paused' : 'ats_connection.resumed',
      async (tx, before) => {
        await this.repository.setPaused(tx, tenantId, id, paused);
        return before;
      },
    );
    if (!paused) await this.setup.ready(tenantId, id);
    return this.views.one(tenantId, id);
  }
}
