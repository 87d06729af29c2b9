import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { Database, type SqlRunner } from '../../../base/database/database.js';
import { OidcProtocol } from '../../../protocols/oidc/oidc.protocol.js';
import type { ArrivedLogout } from '../../../protocols/saml/logout.js';
import type { BrowserStep } from '../../../protocols/saml/requests.js';
import { SamlProtocol } from '../../../protocols/saml/saml.protocol.js';
import { SessionEndings } from '../../../tenancy/sessions/session-endings.repository.js';
import type { EndedSession } from '../../../tenancy/sessions/session.js';
import { SessionsRepository, type EndedAtIdp } from '../../../tenancy/sessions/sessions.repository.js';
import { SessionsService } from '../../../tenancy/sessions/sessions.service.js';
import type { Connection, OidcConnection, SamlConnection } from '../../connections/connection.js';
import { MetadataRefreshing } from '../../connections/refresh.js';
import { ConnectionStore } from '../../connections/store.js';
import { SignInLog, type Origin } from '../log/sign-in-log.js';
import { newHandle } from '../requests/browser-half.js';
import { SignInRefused } from '../sign-in.errors.js';

async function noteLogouts(
  log: SignInLog,
  tenantId: string,
  connectionId: string | null,
  ended: readonly EndedSession[],
  how: string,
  origin: Origin,
): Promise<void> {
  for (const one of ended) {
    const entry = {
      kind: 'logout',
      connectionId,
      outcome: 'success',
      detail: how,
      subject: one.subject,
      userId: one.user_id,
      sessionId: one.id,
    } as const;
    await log.record(tenantId, entry, origin);
  }
}

/** Ends sessions by the user or by an IdP. A logout by an IdP is remembered for sign-ins in transit. */
@Injectable()
export class LogoutService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly connections: ConnectionStore,
    private readonly oidc: OidcProtocol,
    private readonly saml: SamlProtocol,
    private readonly log: SignInLog,
    private readonly clock: Clock,
    private readonly metadata: MetadataRefreshing,
    private readonly db: Database,
    private readonly sessionRows: SessionsRepository,
    private readonly endings: SessionEndings,
  ) {}

  async end(token: string | null, origin: Origin): Promise<BrowserStep | null> {
    const ended = await this.sessions.end(token, 'signed_out');
    if (ended === null) return null;
    await noteLogouts(this.log, ended.tenantId, ended.connection_id, [ended], 'by the person', origin);
    if (ended.connection_id === null) return null;
    const connection = await this.connections.byId(ended.tenantId, ended.connection_id);
    return connection === null ? null : this.leave(connection, ended);
  }

  private async leave(connection: Connection, ended: EndedSession & { tenantId: string }): Promise<BrowserStep | null> {
    const state = newHandle(this.clock.now());
    if (connection.type === 'oidc') {
      const idToken = this.sessions.idTokenOf(ended.tenantId, ended);
      const url = await this.oidc.endSession(connection, { idToken, state });
      return url === null ? null : { kind: 'redirect', url };
    }
    if (connection.sloUrl === null || ended.name_id === null) return null;
    const session = { nameId: ended.name_id, sessionIndex: ended.idp_session };
    return this.saml.logoutRequest(connection, session, state);
  }

  /**
   * Handles a SAML logout message of an IdP.
   *
   * @returns the step with our response; null when the message was a response
   * @throws {SignInRefused} `replayed`
   * @throws {SamlRefused} for a message that is not accepted
   */
  async bySaml(known: SamlConnection, arrived: ArrivedLogout, origin: Origin): Promise<BrowserStep | null> {
    const read = (one: SamlConnection) => this.saml.readLogout(one, arrived);
    const { connection, result: message } = await this.metadata.verified(known, read);
    if (message.kind === 'response') return null;
    const { id: connectionId, tenantId } = connection;
    const { once, nameId: subject, sessionIndexes: idpSessions, issuedAt: at } = message;
    const ended = await this.onceOnly(connection, once, { subject, idpSessions, at });
    await noteLogouts(this.log, tenantId, connectionId, ended, 'by the IdP (SAML)', origin);
    if (connection.sloUrl === null) return null;
    // A logout without a session here succeeds: the IdP asks each service where the person signed in once.
    const answer = { inResponseTo: message.id, success: true, relayState: message.relayState };
    return this.saml.logoutResponse(connection, answer);
  }

  /** @throws {OidcRefused} for a token that is not accepted */
  async byBackChannel(connection: OidcConnection, logoutToken: string, origin: Origin): Promise<void> {
    const { sub, sid, issuedAt, once } = await this.oidc.readLogoutToken(connection, logoutToken);
    const { id: connectionId, tenantId } = connection;
    const what = { subject: sub, idpSessions: sid === null ? [] : [sid], at: issuedAt };
    const ended = await this.onceOnly(connection, once, what);
    await noteLogouts(this.log, tenantId, connectionId, ended, 'by the IdP (back-channel)', origin);
  }

  /**
   * Ends the sessions that began with a session of the IdP (OIDC Front-Channel Logout 1.0). Only the name of that session
   * proves the request, so nothing else can be ended this way.
   *
   * @returns whether there was such a session
   */
  async byFrontChannel({ tenantId, id }: OidcConnection, idpSession: string, origin: Origin): Promise<boolean> {
    const idpSessions = [idpSession];
    const what = { subject: null, idpSessions, at: this.clock.now() };
    const ended = await this.db.transaction(tenantId, (tx) => this.runIn(tx, tenantId, id, what));
    await noteLogouts(this.log, tenantId, id, ended, 'by the IdP (front-channel)', origin);
    return ended.length > 0;
  }

  /**
   * Ends the sessions by a message that counts once. The message is used up in the transaction of its effect, so that an IdP
   * can send it again after a failure.
   *
   * @throws {SignInRefused} `replayed`
   */
  private onceOnly(
    { tenantId, id }: Connection,
    once: { id: string; until: Date },
    ended: EndedAtIdp,
  ): Promise<EndedSession[]> {
    return this.db.transaction(tenantId, async (tx) => {
      if (!(await this.sessionRows.use(tenantId, id, `logout ${once.id}`, once.until, tx))) {
        throw new SignInRefused('replayed', 'this logout message was used before');
      }
      return this.runIn(tx, tenantId, id, ended);
    });
  }

  private async runIn(tx: SqlRunner, tenantId: string, id: string, ended: EndedAtIdp): Promise<EndedSession[]> {
    await this.sessionRows.noteIdpLogout(tx, tenantId, id, ended);
    return this.endings.endByIdp(tx, tenantId, id, ended.subject, ended.idpSessions);
  }
}
