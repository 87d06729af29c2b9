import { Injectable } from '@nestjs/common';
import { Clock } from '../../base/clock.js';
import { readSamlAnswer, type SamlAnswer } from './answer.js';
import { readLogout, type ArrivedLogout } from './logout.js';
import type { LogoutMessage } from './logout.rules.js';
import {
  authnRequest,
  logoutRequest,
  logoutResponse,
  type AuthnAsk,
  type BrowserStep,
  type Sender,
} from './requests.js';
import { verifyAnswer } from './responses.js';
import { SamlAddresses, type SamlSettings, SamlKeySource, type NameId, type SamlSignIn } from './saml-settings.js';
import { SamlVerifier } from './signature-verifier.js';
import { spMetadata } from './sp-metadata.js';

/** A SAML 2.0 service provider: makes requests and verifies answers. Keeps no state. */
@Injectable()
export class SamlProtocol {
  constructor(
    private readonly keys: SamlKeySource,
    private readonly addresses: SamlAddresses,
    private readonly clock: Clock,
    private readonly verifier: SamlVerifier,
  ) {}

  /** Begins a sign-in with an AuthnRequest. The caller stores the id of the request. */
  async begin(connection: SamlSettings, ask: AuthnAsk): Promise<BrowserStep> {
    return authnRequest(connection, ask, await this.senderTo(connection));
  }

  /**
   * Reads a form posted to the assertion consumer service, as far as that needs no connection.
   *
   * @throws {SamlRefused} for a form that cannot be an answer
   */
  read(form: ReadonlyMap<string, string>): SamlAnswer {
    return readSamlAnswer(form);
  }

  /**
   * Verifies an answer for a connection. The caller stores `once` before the session begins.
   *
   * @param expected `requestId`: the request of this sign-in; null: the IdP began it
   * @throws {SamlRefused} for an answer that is not accepted
   */
  async verify(
    connection: SamlSettings,
    answer: SamlAnswer,
    expected: { requestId: string | null },
  ): Promise<SamlSignIn> {
    return verifyAnswer(connection, answer, {
      acsUrl: this.addresses.callback(connection.slug),
      requestId: expected.requestId,
      now: this.clock.now(),
      keys: await this.keys.samlKeys(),
      verifier: this.verifier,
    });
  }

  /** Makes our metadata for one IdP. */
  async metadata(connection: SamlSettings): Promise<string> {
    return spMetadata(connection, {
      acsUrl: this.addresses.callback(connection.slug),
      sloUrl: this.addresses.slo(connection.slug),
      keys: await this.keys.samlKeys(),
    });
  }

  /**
   * Makes a LogoutRequest; the connection has a `sloUrl`.
   *
   * @returns the step and the id that the IdP's response refers to
   */
  async logoutRequest(
    connection: SamlSettings,
    session: { nameId: NameId; sessionIndex: string | null },
    relayState: string,
  ): Promise<BrowserStep & { id: string }> {
    return logoutRequest(connection, session, relayState, await this.senderTo(connection));
  }

  /**
   * Verifies a logout message of the IdP, request or response.
   *
   * @throws {SamlRefused} for a message that is not accepted
   */
  async readLogout(connection: SamlSettings, arrived: ArrivedLogout): Promise<LogoutMessage> {
    const arrival = { sloUrl: this.addresses.slo(connection.slug), now: this.clock.now() };
    return readLogout(connection, arrived, arrival, this.verifier);
  }

  /** Responds to an IdP's LogoutRequest; the connection has a `sloUrl`. */
  async logoutResponse(
    connection: SamlSettings,
    answer: { inResponseTo: string; success: boolean; relayState: string | null },
  ): Promise<BrowserStep> {
    return logoutResponse(connection, answer, await this.senderTo(connection));
  }

  private async senderTo(connection: SamlSettings): Promise<Sender> {
    const { current } = await this.keys.samlKeys();
    return {
      acsUrl: this.addresses.callback(connection.slug),
      sloUrl: this.addresses.slo(connection.slug),
      key: current,
    };
  }
}
