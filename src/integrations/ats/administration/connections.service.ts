import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { NotFound, InvalidFields, type FieldError } from '../../../base/errors/domain-error.js';
import { newId } from '../../../base/ids.js';
import { once, type Repeatable } from '../../../tenancy/idempotency/idempotency-keys.js';
import { AuditService, type AuditBy } from '../../../tenancy/tenants/audit/audit.service.js';
import type { Caller } from '../../../tenancy/tenants/caller.js';
import { demandRoom } from '../../../tenancy/tenants/caps.js';
import { demandPlainName } from '../../../tenancy/tenants/tenants.service.js';
import type { Credential } from '../api/ats-api.js';
import { atsAuditView } from '../connections/ats-connection.mapping.js';
import type {
  ChangeAtsConnection,
  CreateAtsConnection,
  CredentialFields,
  AtsConnectionBody,
  AtsConnectionWithTokenBody,
} from '../connections/ats-connections.dto.js';
import { AtsConnectionsRepository, ATS_CONNECTIONS_CAP } from '../connections/ats-connections.repository.js';
import { AtsConnectionStore, type AtsConnectionRow, AtsAddresses } from '../connections/ats-connections.store.js';
import {
  credentialOf,
  usualWrites,
  writesOf,
  writesProblems,
  freeMarker,
  takesOf,
} from '../connections/ats-settings.rules.js';
import { AtsStates } from '../connections/ats-states.js';
import { AtsWebhookSecretsRepository } from '../connections/ats-webhook-secrets.repository.js';
import { WrongAtsState } from '../connections/ats.errors.js';
import { type AtsConnection, atsConnectionDraft } from '../connections/connection.js';
import type { Connector } from '../connectors/connector.js';
import { TokenClient } from '../oauth/token-client.js';
import { connectorOf } from '../providers/providers.js';
import { AtsUsers } from './ats-users.js';
import { AtsConnectionSetup } from './connection-setup.js';
import { SameAccount } from './same-account.js';
import { newAtsToken } from './webhooks.js';

@Injectable()
export class AtsConnectionChanges {
  constructor(
    private readonly db: Database,
    private readonly repository: AtsConnectionsRepository,
    private readonly store: AtsConnectionStore,
    private readonly audit: AuditService,
  ) {}

  /**
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

  /** Runs a change of the connections of a tenant; afterwards no process uses the former ones. */
  async run(tenantId: string, work: (tx: SqlRunner) => Promise<void>): Promise<void> {
    await this.db.transaction(tenantId, work);
    await this.store.forget(tenantId);
  }

  /** Runs a write whose result is shown once, and returns the result: the same for a repeated Idempotency-Key. */
  async make<T>(by: Repeatable, work: (tx: SqlRunner) => Promise<T>): Promise<T> {
    const made = await once(this.db, by, work);
    await this.store.forget(by.tenantId);
    return made;
  }

  async change(
    caller: AuditBy,
    id: string,
    action: string,
    work: (tx: SqlRunner, before: AtsConnectionRow) => Promise<AtsConnectionRow>,
  ): Promise<void> {
    await this.run(caller.tenantId, (tx) => this.changeIn(tx, caller, id, action, work));
  }

  async changeIn(
    tx: SqlRunner,
    caller: AuditBy,
    id: string,
    action: string,
    work: (tx: SqlRunner, before: AtsConnectionRow) => Promise<AtsConnectionRow>,
  ): Promise<void> {
    const before = await this.repository.row(caller.tenantId, id, { db: tx, lock: true });
    if (before === undefined) throw new NotFound('ATS connection');
    const after = await work(tx, before);
    const states = after === before ? {} : { before: atsAuditView(before), after: atsAuditView(after) };
    await this.note(tx, caller, action, id, states);
  }

  note(
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

/** Manages connections to ATSs. Settings and credentials are checked against the connector and the ATS. */
@Injectable()
export class AtsConnectionsService {
  constructor(
    private readonly changes: AtsConnectionChanges,
    private readonly account: SameAccount,
    private readonly repository: AtsConnectionsRepository,
    private readonly webhookSecrets: AtsWebhookSecretsRepository,
    private readonly states: AtsStates,
    private readonly setup: AtsConnectionSetup,
    private readonly clients: TokenClient,
    private readonly addresses: AtsAddresses,
    private readonly users: AtsUsers,
  ) {}

  /**
   * Makes a connection. With a credential its ATS is read at once; without one, only webhooks come in.
   *
   * @throws {InvalidFields} for settings or a credential that do not fit the connector, or when another connection to
   * this provider has the token
   * @throws {MarkerTaken} when another connection of the tenant has the marker
   * @throws {AtsAccountTaken} when another connection of the tenant is of the account
   */
  async create(caller: Caller, input: CreateAtsConnection): Promise<AtsConnectionWithTokenBody> {
    const { tenantId } = caller;
    const connector = connectorOf(input.provider)!; // Validated.
    const { region, writes, credential, baseUrl } = await this.ofNew(tenantId, connector, input);
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
    await this.demandKnown(draft, connector, input.writes?.as_user, credential);
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
    return { ...(await this.states.view(tenantId, id)), api_token: token };
  }

  async change(caller: AuditBy, id: string, input: ChangeAtsConnection): Promise<AtsConnectionBody> {
    const { tenantId } = caller;
    const connection = await this.changes.connected(tenantId, id);
    const connector = connectorOf(connection.provider)!;
    const { writes, credential } = this.ofChange(connection, connector, input);
    await this.demandKnown(connection, connector, input.writes?.as_user, credential);
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
    return this.states.view(tenantId, id);
  }

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
    return this.states.view(tenantId, id);
  }

  /** @throws {InvalidFields} for settings or a credential that do not fit the connector */
  private async ofNew(tenantId: string, connector: Connector, input: CreateAtsConnection) {
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

  /** @throws {InvalidFields} for settings or a credential that do not fit the connector */
  private ofChange({ writes: before }: AtsConnection, connector: Connector, input: ChangeAtsConnection) {
    const writes = writesOf(input.writes, before);
    const problems = writesProblems(connector, writes);
    const credential = this.readCredential(connector, input.credential, problems);
    if (problems.length > 0) throw new InvalidFields(problems);
    return { writes, credential };
  }

  /**
   * Asks the ATS whether the credential is of the account, and has the user as whom the connection writes.
   *
   * @throws {AtsAccountTaken} when another connection of the tenant is of the account
   * @throws {OtherAtsAccount} when the account has none of the records
   * @throws {InvalidFields} for `writes.as_user`
   */
  private async demandKnown(
    connection: AtsConnection,
    connector: Connector,
    asUser: Parameters<AtsUsers['demand']>[2],
    credential: Credential | null,
  ): Promise<void> {
    if (credential !== null) await this.account.demand(connection, connector, credential);
    await this.users.demand(connection, connector, asUser, credential);
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
}
