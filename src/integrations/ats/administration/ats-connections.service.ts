import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { InvalidFields, NotFound, type FieldError } from '../../../base/errors/domain-error.js';
import { newId } from '../../../base/ids.js';
import { AuditService, type AuditBy } from '../../../tenancy/tenants/audit/audit.service.js';
import { ATS_CONNECTIONS_CAP } from '../connections/ats-connections.cap.js';
import { demandRoom } from '../../../tenancy/tenants/caps.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import type { Connector } from '../connectors/connector.js';
import { connectorOf } from '../providers/providers.js';
import { OAuthClients } from '../oauth/oauth-clients.js';
import { AtsAddresses } from '../connections/ats-addresses.js';
import type { AtsConnectionBody, AtsConnectionWithTokenBody } from '../connections/ats-connection-bodies.dto.js';
import { AtsConnectionSetup, newAtsToken } from './ats-connection-setup.js';
import { AtsConnectionViews } from '../connections/ats-connection-views.js';
import { atsAuditView } from '../connections/ats-connection.mapping.js';
import type { ChangeAtsConnection, CreateAtsConnection, CredentialFields } from '../connections/ats-connections.dto.js';
import { AtsConnectionReady } from '../connections/ats-connections.events.js';
import { AtsConnectionsRepository } from '../connections/ats-connections.repository.js';
import { AtsWebhookSecretsRepository } from '../connections/ats-webhook-secrets.repository.js';
import { AtsConnectionStore, type AtsConnectionRow } from '../connections/ats-connections.store.js';
import { AtsStates } from '../connections/ats-states.js';
import { AtsUsers } from './ats-users.js';
import {
  credentialOf,
  freeMarker,
  takesOf,
  usualWrites,
  writesOf,
  writesProblems,
} from '../connections/ats-settings.rules.js';
import { WrongAtsState } from '../connections/ats.errors.js';
import { atsConnectionDraft, type AtsConnection } from '../connections/connection.js';
import type { Credential } from '../api/credential.js';
import { SameAccount } from './same-account.js';

/** The administration of connections to ATSs. */
@Injectable()
export class AtsConnectionsService {
  constructor(
    private readonly db: Database,
    private readonly repository: AtsConnectionsRepository,
    private readonly webhookSecrets: AtsWebhookSecretsRepository,
    private readonly store: AtsConnectionStore,
    private readonly views: AtsConnectionViews,
    private readonly setup: AtsConnectionSetup,
    private readonly addresses: AtsAddresses,
    private readonly clients: OAuthClients,
    private readonly events: DomainEvents,
    private readonly audit: AuditService,
    private readonly states: AtsStates,
    private readonly account: SameAccount,
    private readonly users: AtsUsers,
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
    const { region, writes, credential, baseUrl } = await this.checked(tenantId, connector, input);
    const [id, token] = [newId('ats'), input.api_token ?? newAtsToken()];
    const takes = takesOf(input.takes);
    const draft = atsConnectionDraft({ tenantId, id, connector, region, baseUrl, takes, writes, credential });
    if (credential !== null) await this.account.demand(draft, connector, credential);
    await this.users.demand(draft, connector, input.writes?.as_user, credential);
    await this.db.transaction(tenantId, async (tx) => {
      await demandRoom(tx, ATS_CONNECTIONS_CAP, tenantId);
      if (credential !== null) await this.account.demandFreeKey(tx, draft, connector, credential);
      const taken = new Set((await this.repository.rows(tenantId, tx)).map(({ marker }) => marker));
      const marker = input.marker ?? freeMarker(connector.marker, taken);
      const [{ provider }, name] = [connector, input.name ?? connector.title];
      const key = { tenantId, id, provider };
      const more = { approvedBy: null, grantedScopes: null, createdBy: caller.actor };
      await this.repository.insert(tx, { ...key, name, region, baseUrl, marker, takes, writes, credential, ...more });
      await this.webhookSecrets.addToken(tx, key, { id: newId('atk'), text: token, made: false });
      if (input.signing_secret !== undefined) await this.sign(tx, tenantId, id, input.signing_secret);
      if (credential !== null) await this.setup.begin(tx, caller, key);
      await this.note(tx, caller, 'ats_connection.created', id, {
        after: atsAuditView({ provider, name, marker, takes, writes }),
      });
    });
    await this.store.forget(tenantId);
    if (credential !== null) await this.setup.begun({ tenantId, id, provider: connector.provider }, []);
    return { ...(await this.views.one(tenantId, id)), api_token: token };
  }

  /** Changes the named settings; what is left out stays. Another credential sets the connection up anew. */
  async change(caller: AuditBy, id: string, input: ChangeAtsConnection): Promise<AtsConnectionBody> {
    const { tenantId } = caller;
    const connection = await this.connected(tenantId, id);
    const connector = connectorOf(connection.provider)!;
    const writes = writesOf(input.writes, connection.writes);
    const problems = writesProblems(connector, writes);
    const credential = this.readCredential(connector, input.credential, problems);
    if (problems.length > 0) throw new InvalidFields(problems);
    if (credential !== null) await this.account.demand(connection, connector, credential);
    await this.users.demand(connection, connector, input.writes?.as_user, credential);
    await this.changing(caller, id, 'ats_connection.changed', async (tx, before) => {
      const after = { name: input.name ?? before.name, takes: takesOf(input.takes, before.takes), writes };
      await this.repository.update(tx, tenantId, id, after);
      if (credential !== null) {
        await this.repository.setCredential(tx, tenantId, id, credential);
        await this.setup.begin(tx, caller, connection);
      }
      return { ...before, ...after };
    });
    if (credential !== null) await this.setup.begun(connection, []);
    else await this.ready(tenantId, id);
    return this.views.one(tenantId, id);
  }

  /** Stops polls, applying and writes; webhooks are still stored. */
  async pause(caller: Caller, id: string, paused: boolean): Promise<AtsConnectionBody> {
    const { tenantId } = caller;
    await this.connected(tenantId, id);
    await this.changing(caller, id, paused ? 'ats_connection.paused' : 'ats_connection.resumed', async (tx, before) => {
      await this.repository.setPaused(tx, tenantId, id, paused);
      return before;
    });
    if (!paused) await this.ready(tenantId, id);
    return this.views.one(tenantId, id);
  }

  /** Adds a token of the webhook address beside the present one. Only this answer shows it. */
  async addToken(caller: Caller, id: string, sent: string | undefined): Promise<AtsConnectionWithTokenBody> {
    const { tenantId } = caller;
    const connection = await this.connected(tenantId, id);
    const token = sent ?? newAtsToken();
    const tokenId = newId('atk');
    await this.changing(caller, id, 'ats_connection.token_added', async (tx, before) => {
      await this.webhookSecrets.addToken(tx, connection, { id: tokenId, text: token, made: false });
      return before;
    });
    return { ...(await this.views.one(tenantId, id)), api_token: token };
  }

  /**
   * Ends a token now.
   *
   * @throws {NotFound} when the connection has no such token
   */
  async removeToken(caller: Caller, id: string, tokenId: string): Promise<void> {
    await this.connected(caller.tenantId, id);
    await this.changing(caller, id, 'ats_connection.token_removed', async (tx, before) => {
      if (!(await this.webhookSecrets.removeToken(tx, caller.tenantId, id, tokenId))) throw new NotFound('token');
      return before;
    });
  }

  /** Sets the secret that the ATS signs with, in place of one that was set by hand; null: signatures are not checked. */
  async setSigningSecret(caller: Caller, id: string, secret: string | null): Promise<AtsConnectionBody> {
    const { tenantId } = caller;
    const connection = await this.connected(tenantId, id);
    await this.changing(caller, id, 'ats_connection.signing_secret_set', async (tx, before) => {
      if (secret === null) await this.webhookSecrets.removeHandMadeSecrets(tx, tenantId, id);
      else await this.sign(tx, tenantId, id, secret);
      return before;
    });
    if (secret === null) await this.states.solved(connection, 'signature');
    return this.views.one(tenantId, id);
  }

  /**
   * Returns a connection that is not disconnected.
   *
   * @throws {NotFound} when the tenant has no such connection
   * @throws {WrongAtsState} when it is disconnected
   */
  async connected(tenantId: string, id: string): Promise<AtsConnection> {
    const connection = await this.store.fresh(tenantId, id);
    if (connection === undefined) throw new NotFound('ATS connection');
    if (connection.state === 'disconnected') {
      throw new WrongAtsState('The connection is disconnected. Connect it again in a browser, or make another one.');
    }
    return connection;
  }

  private async checked(tenantId: string, connector: Connector, input: CreateAtsConnection) {
    const names = this.clients.regionNames(connector);
    const problems: FieldError[] = [];
    const region = input.region ?? names[0]!;
    if (!names.includes(region)) problems.push({ field: 'region', message: `must be one of: ${names.join(', ')}` });
    const baseUrl = input.base_url ?? null;
    const refusal = baseUrl === null ? null : await this.addresses.problemOf(baseUrl, tenantId, connector);
    if (refusal !== null) problems.push({ field: 'base_url', message: refusal });
    const writes = writesOf(input.writes, usualWrites(connector));
    problems.push(...writesProblems(connector, writes));
    const credential = this.readCredential(connector, input.credential, problems);
    if (problems.length > 0) throw new InvalidFields(problems);
    return { region, baseUrl, writes, credential };
  }

  private readCredential(
    connector: Connector,
    sent: CredentialFields | undefined,
    problems: FieldError[],
  ): Credential | null {
    if (sent === undefined) return null;
    const read = credentialOf(connector, sent);
    if (!Array.isArray(read)) return read;
    problems.push(...read);
    return null;
  }

  private sign(tx: SqlRunner, tenantId: string, id: string, text: string): Promise<void> {
    return this.webhookSecrets.addSigningSecret(tx, tenantId, id, { id: newId('asg'), text, made: null });
  }

  private async ready(tenantId: string, id: string): Promise<void> {
    const connection = await this.store.get(tenantId, id);
    if (connection !== undefined) await this.events.publish(new AtsConnectionReady(connection));
  }

  /** Runs a change of one connection under its lock, with a line in the audit log. */
  private async changing(
    caller: AuditBy,
    id: string,
    action: string,
    work: (tx: SqlRunner, before: AtsConnectionRow) => Promise<AtsConnectionRow>,
  ): Promise<void> {
    const { tenantId } = caller;
    await this.db.transaction(tenantId, async (tx) => {
      const before = await this.repository.row(tenantId, id, { db: tx, lock: true });
      if (before === undefined) throw new NotFound('ATS connection');
      const after = await work(tx, before);
      const states = after === before ? {} : { before: atsAuditView(before), after: atsAuditView(after) };
      await this.note(tx, caller, action, id, states);
    });
    await this.store.forget(tenantId);
  }

  private note(
    tx: SqlRunner,
    { tenantId, actor, requestId }: AuditBy,
    action: string,
    targetId: string,
    states: { before?: object; after?: object },
  ): Promise<void> {
    const target = { targetType: 'ats_connection', targetId };
    return this.audit.record(tx, { tenantId, actor, requestId, action, ...target, ...states });
  }
}
