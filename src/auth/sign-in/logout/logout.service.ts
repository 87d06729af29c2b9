import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import type { Connection } from '../../connections/connection.js';
import { ConnectionStore } from '../../connections/connection.store.js';
import { OidcProtocol } from '../../../protocols/oidc/oidc.protocol.js';
import { newHandle } from '../requests/browser-half.js';
import type { BrowserStep } from '../../../protocols/saml/requests.js';
import { SamlProtocol } from '../../../protocols/saml/saml.protocol.js';
import type { EndedSession } from '../../../tenancy/sessions/session.js';
import { SessionsService } from '../../../tenancy/sessions/sessions.service.js';
import { SignInLog, type Origin } from '../log/sign-in-log.js';

/** Ends sessions by the user. */
@Injectable()
export class LogoutService {
  constructor(
    private readonly sessions: SessionsService,
    private readonly connections: ConnectionStore,
    private readonly oidc: OidcProtocol,
    private readonly saml: SamlProtocol,
    private readonly log: SignInLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Ends the session of a cookie.
   *
   * @returns the step to the logout of the IdP; null: the IdP offers none
   */
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
}

/** Writes a line of the log for each ended session. */
export async function noteLogouts(
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
