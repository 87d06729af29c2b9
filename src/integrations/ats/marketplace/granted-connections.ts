import { Injectable } from '@nestjs/common';
import type { SessionRow } from '../../../auth/sign-in/browser-sessions/live-sessions.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { InvalidFields } from '../../../base/errors/domain-error.js';
import { newId } from '../../../base/ids.js';
import { Logger } from '../../../base/log/logger.js';
import { DONE, WorkKind, type TurnOutcome, type Turn } from '../../../base/work/work.js';
import type { Actor } from '../../../tenancy/identity/person.js';
import { Administrators } from '../../../tenancy/tenants/administrators.js';
import { AuditService, type AuditBy } from '../../../tenancy/tenants/audit/audit.service.js';
import { demandRoom } from '../../../tenancy/tenants/caps.js';
import { AtsUsers } from '../administration/ats-users.js';
import { AtsConnectionSetup } from '../administration/connection-setup.js';
import { AtsConnectionsService } from '../administration/connections.service.js';
import { SameAccount } from '../administration/same-account.js';
import { AtsFailure } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import { atsAuditView, missingScopes } from '../connections/ats-connection.mapping.js';
import type { AtsUserBody } from '../connections/ats-connections.dto.js';
import { ATS_CONNECTIONS_CAP, AtsConnectionsRepository } from '../connections/ats-connections.repository.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { AtsCredentials, DUE_RENEWALS } from '../connections/ats-credentials.js';
import { freeMarker, takesOf, usualWrites, lacksWriter } from '../connections/ats-settings.rules.js';
import { AtsStates } from '../connections/ats-states.js';
import { AccountNotKnown, AtsAccountTaken, OtherAtsAccount, NoUsersKnown } from '../connections/ats.errors.js';
import { atsConnectionDraft, type AtsConnection } from '../connections/connection.js';
import type { Connector } from '../connectors/connector.js';
import { TokenClient, type Grant } from '../oauth/token-client.js';
import { AuthorizationsRepository, type Authorization } from './authorizations.repository.js';
import { ConnectLinksService } from './connect-links.service.js';
import { ConnectRefused } from './marketplace.errors.js';

interface Granted {
  grant: Grant;
  linkId: string | null;
  connectionId: string | null;
  region: string;
  /** The signed-in user who approved; null for the holder of a link. */
  userId: string | null;
}

export interface Connected {
  tenantId: string;
  connectionId: string;
  marker: string;
  missing: string[];
}

/** The most users of the page. The API and `ats users` have the whole list. */
const MOST = 200;

interface Chosen {
  state: string;
  asUser: string;
  cookies: ReadonlyMap<string, string>;
  session: SessionRow | null;
  requestId: string;
}

interface Choice {
  tenantId: string;
  /** Why the user is refused, in words; null when the user is set. */
  said: string | null;
  users: readonly AtsUserBody[];
}

/** Makes or renews a connection with a grant, and asks for the user as whom it writes, where it needs one. */
@Injectable()
export class GrantedConnections {
  constructor(
    private readonly db: Database,
    private readonly repository: AtsConnectionsRepository,
    private readonly links: ConnectLinksService,
    private readonly clients: TokenClient,
    private readonly setup: AtsConnectionSetup,
    private readonly connections: AtsConnectionStore,
    private readonly account: SameAccount,
    private readonly audit: AuditService,
    private readonly service: AtsConnectionsService,
    private readonly users: AtsUsers,
    private readonly apis: AtsApis,
    private readonly authorizations: AuthorizationsRepository,
    private readonly administrators: Administrators,
  ) {}

  /**
   * @throws {ConnectRefused} `link_over` where the link was used since, `other_account` where the grant is of another
   * account than the records of the connection, `account_taken` where another connection is of the account
   */
  async make(by: AuditBy, connector: Connector, granted: Granted): Promise<Connected> {
    const { tenantId } = by;
    const { region } = granted;
    // A simulator is no region of the connector: calls need its address.
    const baseUrl = connector.regions[region] === undefined ? this.clients.region(connector, region)!.api : null;
    await this.demandSameAccount(tenantId, connector, granted, { region, baseUrl });
    // Vendors may leave out scopes equal to the requested ones (RFC 6749 §5.1).
    const scopes = granted.grant.scopes ?? [...connector.oauth!.scopes];
    const { id, marker } = await this.db.transaction(tenantId, async (tx) => {
      if (granted.linkId !== null && (await this.links.useLink(tx, tenantId, granted.linkId)) === null) {
        throw new ConnectRefused('link_over');
      }
      const made = await this.store(tx, by, connector, granted);
      await this.repository.setGrant(tx, tenantId, made.id, { region, baseUrl, scopes, approvedBy: null });
      await this.repository.setCredential(tx, tenantId, made.id, granted.grant.credential);
      await this.setup.begin(tx, by, { tenantId, id: made.id, provider: connector.provider }, granted.userId);
      return made;
    });
    const key = { tenantId, id, provider: connector.provider };
    const missing = missingScopes(connector, scopes);
    await this.setup.begun(key, missing);
    return { tenantId, connectionId: id, marker, missing };
  }

  private async demandSameAccount(
    tenantId: string,
    connector: Connector,
    { connectionId, grant }: Granted,
    at: Pick<AtsConnection, 'region' | 'baseUrl'>,
  ): Promise<void> {
    const known = connectionId === null ? undefined : await this.connections.fresh(tenantId, connectionId);
    const settings = { takes: takesOf(undefined), writes: usualWrites(connector), credential: grant.credential };
    try {
      const connection = known ?? atsConnectionDraft({ tenantId, id: newId('ats'), connector, ...at, ...settings });
      await this.account.demand({ ...connection, ...at }, connector, grant.credential);
    } catch (error) {
      if (error instanceof AtsAccountTaken) throw new ConnectRefused('account_taken');
      if (error instanceof OtherAtsAccount) throw new ConnectRefused('other_account');
      if (error instanceof AccountNotKnown) throw new ConnectRefused('ats_away');
      throw error;
    }
  }

  private async store(
    tx: SqlRunner,
    by: AuditBy,
    connector: Connector,
    { connectionId }: Granted,
  ): Promise<{ id: string; marker: string }> {
    const { tenantId } = by;
    const known =
      connectionId === null ? undefined : await this.repository.row(tenantId, connectionId, { db: tx, lock: true });
    if (known !== undefined) {
      await this.note(tx, by, 'ats_connection.reconnected', known.id, {});
      return { id: known.id, marker: known.marker };
    }
    await demandRoom(tx, ATS_CONNECTIONS_CAP, tenantId);
    const rows = await this.repository.rows(tenantId, tx);
    const marker = freeMarker(connector.marker, new Set(rows.map((row) => row.marker)));
    const [takes, writes, id] = [takesOf(undefined), usualWrites(connector), newId('ats')];
    const { provider, title: name } = connector;
    await this.repository.insert(tx, {
      tenantId,
      id,
      provider,
      name,
      region: Object.keys(connector.regions)[0]!,
      baseUrl: null,
      marker,
      takes,
      writes,
      approvedBy: null,
      credential: null,
      grantedScopes: null,
      createdBy: by.actor,
    });
    await this.note(tx, by, 'ats_connection.created', id, atsAuditView({ provider, name, marker, takes, writes }));
    return { id, marker };
  }

  private note(tx: SqlRunner, by: AuditBy, action: string, targetId: string, after: object): Promise<void> {
    return this.audit.record(tx, { ...by, action, targetType: 'ats_connection', targetId, after });
  }

  /**
   * Returns the users of the ATS to choose from, where the connection has none as whom it writes. The list is empty
   * where the ATS does not show its users.
   *
   * @param userId the user of this service who approved; null for the holder of a connect link
   * @returns null when the connection has a user, or needs none
   */
  async needed(
    { tenantId, connectionId }: Pick<Connected, 'tenantId' | 'connectionId'>,
    connector: Connector,
    userId: string | null,
  ): Promise<readonly AtsUserBody[] | null> {
    const connection = await this.connections.fresh(tenantId, connectionId);
    if (connection === undefined || !lacksWriter(connector, connection.writes, connection.approvedBy)) return null;
    if (await this.hasApprover(connection, connector, userId)) return null;
    try {
      return (await this.users.page(connection, connector, { limit: MOST, after: null, list: '' })).data;
    } catch (error) {
      if (error instanceof NoUsersKnown) return [];
      throw error;
    }
  }

  /**
   * Sets the user as whom the connection of an authorization writes: from the same browser, by the same user or link,
   * within the ten minutes of the authorization.
   *
   * @returns why the user is refused, in words; null when it is set
   * @throws {ConnectRefused} `writer_over`, `other_browser`, `state_unknown`
   */
  async choose(connector: Connector, chosen: Chosen): Promise<Choice> {
    const known = await this.authorizations.stateOf(connector.provider, chosen.state);
    this.authorizations.secretOf(known, chosen.cookies);
    const { tenantId, authorization } = known;
    const { used, expired, connection_id: connectionId, user_id: userId } = authorization;
    const actor = await this.actorOf(tenantId, authorization, chosen.session);
    const connection = connectionId === null ? undefined : await this.connections.fresh(tenantId, connectionId);
    const isOpen = connection !== undefined && lacksWriter(connector, connection.writes, connection.approvedBy);
    if (!used || expired || actor === null || !isOpen) throw new ConnectRefused('writer_over');
    const by = { tenantId, actor, requestId: chosen.requestId };
    const said = await this.set(by, connection.id, chosen.asUser);
    const users = said === null ? [] : await this.needed({ tenantId, connectionId: connection.id }, connector, userId);
    return { tenantId, said, users: users ?? [] };
  }

  private async set(by: AuditBy, connectionId: string, asUser: string): Promise<string | null> {
    if (asUser === '' || asUser.length > 200) return 'Choose a user.';
    try {
      await this.service.change(by, connectionId, { writes: { as_user: asUser } });
      return null;
    } catch (error) {
      if (error instanceof InvalidFields) return 'This user is not known, or not active. Choose another one.';
      throw error;
    }
  }

  private async actorOf(
    tenantId: string,
    { user_id: userId, link_id: linkId }: Authorization,
    session: SessionRow | null,
  ): Promise<Actor | null> {
    if (linkId !== null) return this.links.makerOf(tenantId, linkId);
    const same = session !== null && session.tenant_id === tenantId && session.user_id === userId;
    if (!same || !(await this.administrators.has(session))) return null;
    return { kind: 'user', id: session.user_id, name: session.user_id };
  }

  private async hasApprover(connection: AtsConnection, connector: Connector, userId: string | null): Promise<boolean> {
    try {
      return await this.users.noteApprovers(connection, connector, this.apis.of(connection), userId);
    } catch (error) {
      if (error instanceof AtsFailure) return false;
      throw error;
    }
  }
}

/** Renews unused grants before their refresh tokens end: of paused connections, and of vendors with short ones. */
@Injectable()
export class GrantKeepAlive extends WorkKind {
  override readonly kind = 'ats.grants';
  override readonly everyMs = 60_000;
  override readonly callsOut = true;

  constructor(
    private readonly credentials: AtsCredentials,
    private readonly store: AtsConnectionStore,
    private readonly states: AtsStates,
    private readonly logger: Logger,
  ) {
    super();
  }

  override due(): string {
    return DUE_RENEWALS;
  }

  /** Renews one grant. An unreachable server is asked again within the hour. */
  override async run({ tenantId, id }: Turn): Promise<TurnOutcome> {
    const connection = await this.store.fresh(tenantId, id);
    try {
      if (connection !== undefined) await this.credentials.keepAlive(connection);
    } catch (error) {
      if (!(error instanceof AtsFailure)) throw error;
      if (error.kind === 'refused') await this.states.problem(connection!, 'grant', error.reason);
      this.logger.warn('ats.keep_alive_failed', { tenant_id: tenantId, ats_connection_id: id, reason: error.reason });
    }
    await this.credentials.putOff(tenantId, id);
    return DONE;
  }
}
