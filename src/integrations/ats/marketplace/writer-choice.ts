import { Injectable } from '@nestjs/common';
import { InvalidFields } from '../../../base/errors/domain-error.js';
import type { AuditBy } from '../../../tenancy/tenants/audit/audit.service.js';
import { AtsFailure } from '../api/ats-api.js';
import { AtsApis } from '../calls/ats-apis.js';
import type { AtsUserBody } from '../connections/ats-connection-bodies.dto.js';
import { AtsApprovers } from '../administration/ats-approvers.js';
import { AtsConnectionsService } from '../administration/ats-connections.service.js';
import { AtsConnectionStore } from '../connections/ats-connections.store.js';
import { NoUsersKnown } from '../connections/ats.errors.js';
import { AtsUsers } from '../administration/ats-users.js';
import type { AtsConnection } from '../connections/connection.js';
import type { Connector } from '../connectors/connector.js';
import { lacksWriter } from '../connections/ats-settings.rules.js';
import type { Actor } from '../../../tenancy/identity/person.js';
import type { SessionRow } from '../../../auth/sign-in/browser-sessions/live-sessions.js';
import { Administrators } from '../../../tenancy/tenants/administrators.js';
import { AuthorizationStates } from './authorization-states.js';
import type { Authorization } from './authorizations.repository.js';
import { ConnectLinksRepository } from './connect-links.repository.js';
import { ConnectRefused } from './marketplace.errors.js';
import type { Connected } from './granted-connections.js';

/** The users that the page offers. A longer list is that of the API and of `ats users`. */
const MOST = 200;

/** What the browser sends with the choice. */
interface Chosen {
  state: string;
  asUser: string;
  cookies: ReadonlyMap<string, string>;
  session: SessionRow | null;
  requestId: string;
}

/** What came of a choice. */
interface Choice {
  tenantId: string;
  /** Why the user is refused, in words; null: it is set. */
  said: string | null;
  /** The users to choose from, after a refusal. */
  users: readonly AtsUserBody[];
}

/** Finds out whether a new connection needs a user as whom it writes, and sets the one that is chosen on the page. */
@Injectable()
export class WriterChoice {
  constructor(
    private readonly store: AtsConnectionStore,
    private readonly connections: AtsConnectionsService,
    private readonly approvers: AtsApprovers,
    private readonly users: AtsUsers,
    private readonly apis: AtsApis,
    private readonly states: AuthorizationStates,
    private readonly links: ConnectLinksRepository,
    private readonly administrators: Administrators,
  ) {}

  /**
   * Returns the users of the ATS to choose from, where the connection has none as whom it writes. The list is empty
   * where the ATS does not show its users.
   *
   * @param userId the user of this service who approved; null: the holder of a connect link
   * @returns null when the connection has a user, or needs none
   */
  async needed(
    { tenantId, connectionId }: Pick<Connected, 'tenantId' | 'connectionId'>,
    connector: Connector,
    userId: string | null,
  ): Promise<readonly AtsUserBody[] | null> {
    const connection = await this.store.fresh(tenantId, connectionId);
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
   * Sets the user as whom the connection writes that an authorization has made: from the same browser, by the same person
   * or the holder of the link, within the ten minutes of the authorization.
   *
   * @returns why the user is refused, in words; null: it is set
   * @throws {ConnectRefused} `writer_over`, `other_browser`, `state_unknown`
   */
  async choose(connector: Connector, chosen: Chosen): Promise<Choice> {
    const known = await this.states.of(connector.provider, chosen.state);
    this.states.secretOf(known, chosen.cookies);
    const { tenantId, authorization } = known;
    const { used, expired, connection_id: connectionId, user_id: userId } = authorization;
    const actor = await this.actorOf(tenantId, authorization, chosen.session);
    const connection = connectionId === null ? undefined : await this.store.fresh(tenantId, connectionId);
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
      await this.connections.change(by, connectionId, { writes: { as_user: asUser } });
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
      return await this.approvers.note(connection, connector, this.apis.of(connection), userId);
    } catch (error) {
      if (error instanceof AtsFailure) return false;
      throw error;
    }
  }
}
