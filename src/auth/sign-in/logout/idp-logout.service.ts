import { Injectable } from '@nestjs/common';
import { Clock } from '../../../base/clock.js';
import { CertificateRenewal } from '../../connections/certificate-renewal.js';
import type { OidcConnection, SamlConnection } from '../../connections/connection.js';
import { OidcProtocol } from '../../../protocols/oidc/oidc.protocol.js';
import type { BrowserStep } from '../../../protocols/saml/requests.js';
import type { ArrivedLogout } from '../../../protocols/saml/logout.js';
import { SamlProtocol } from '../../../protocols/saml/saml.protocol.js';
import { SignInLog, type Origin } from '../log/sign-in-log.js';
import { IdpEndings } from './idp-endings.js';
import { noteLogouts } from './logout.service.js';

/** Ends sessions by an IdP. */
@Injectable()
export class IdpLogoutService {
  constructor(
    private readonly endings: IdpEndings,
    private readonly oidc: OidcProtocol,
    private readonly saml: SamlProtocol,
    private readonly renewal: CertificateRenewal,
    private readonly log: SignInLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Handles a SAML logout message of an IdP.
   *
   * @returns the step with our response; null: the message was a response
   * @throws {SignInRefused} `replayed`
   * @throws {SamlRefused} for a message that is not accepted
   */
  async bySaml(known: SamlConnection, arrived: ArrivedLogout, origin: Origin): Promise<BrowserStep | null> {
    const read = (one: SamlConnection) => this.saml.readLogout(one, arrived);
    const { connection, result: message } = await this.renewal.verified(known, read);
    if (message.kind === 'response') return null;
    const { id: connectionId, tenantId } = connection;
    const { once, nameId: subject, sessionIndexes: idpSessions, issuedAt: at } = message;
    const ended = await this.endings.once(connection, once, { subject, idpSessions, at });
    await noteLogouts(this.log, tenantId, connectionId, ended, 'by the IdP (SAML)', origin);
    if (connection.sloUrl === null) return null;
    // A logout without a session here succeeds: the IdP asks each service where the person signed in once.
    const answer = { inResponseTo: message.id, success: true, relayState: message.relayState };
    return this.saml.logoutResponse(connection, answer);
  }

  /**
   * Handles an OIDC back-channel logout.
   *
   * @throws {SignInRefused} `replayed`
   * @throws {OidcRefused} for a token that is not accepted
   */
  async byBackChannel(connection: OidcConnection, logoutToken: string, origin: Origin): Promise<void> {
    const { sub, sid, issuedAt, once } = await this.oidc.readLogoutToken(connection, logoutToken);
    const { id: connectionId, tenantId } = connection;
    const what = { subject: sub, idpSessions: sid === null ? [] : [sid], at: issuedAt };
    const ended = await this.endings.once(connection, once, what);
    await noteLogouts(this.log, tenantId, connectionId, ended, 'by the IdP (back-channel)', origin);
  }

  /**
   * Ends the sessions that began with a session of the IdP (OIDC Front-Channel Logout 1.0). Only the name of that
   * session proves the request, so nothing else can be ended this way.
   *
   * @returns whether there was such a session
   */
  async byFrontChannel({ tenantId, id }: OidcConnection, idpSession: string, origin: Origin): Promise<boolean> {
    const idpSessions = [idpSession];
    const ended = await this.endings.run(tenantId, id, { subject: null, idpSessions, at: this.clock.now() });
    await noteLogouts(this.log, tenantId, id, ended, 'by the IdP (front-channel)', origin);
    return ended.length > 0;
  }
}
