import { Injectable } from '@nestjs/common';
import { Clock } from '../base/clock.js';
import { SamlAddresses } from './saml-addresses.js';
import type { SamlSettings } from './saml-settings.js';
import { SamlKeySource } from './saml-keys.js';
import type { NameId, SamlSignIn } from './saml-sign-in.js';
import { readAnswer, type SamlAnswer } from './answer.js';
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
import { spMetadata } from './sp-metadata.js';
import { SamlVerifier } from './verifier.js';

/** SAML 2.0 as a service provider: what we send to an IdP and what we believe of its answers. Remembers nothing. */
@Injectable()
export class SamlProtocol {
  constructor(
    private readonly keys: SamlKeySource,
    private readonly addresses: SamlAddresses,
    private readonly clock: Clock,
    private readonly verifier: SamlVerifier,
  ) {}

  /** Begins a sign-in: an AuthnRequest under the id that the caller remembers. */
  async begin(connection: SamlSettings, ask: AuthnAsk): Promise<BrowserStep> {
    return authnRequest(connection, ask, await this.senderTo(connection));
  }

  /**
   * Reads what was posted to the assertion consumer service, so far as that goes without knowing the connection.
   *
   * @throws SamlRefused
   */
  read(form: ReadonlyMap<string, string>): SamlAnswer {
    return readAnswer(form);
  }

  /**
   * Verifies an answer for a connection. `expected.requestId` is the request of this sign-in, null for one that the IdP
   * began. The caller remembers `once` before anybody is signed in (SAML-14).
   *
   * @throws SamlRefused
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

  /** Our metadata towards one IdP. */
  async metadata(connection: SamlSettings): Promise<string> {
    return spMetadata(connection, {
      acsUrl: this.addresses.callback(connection.slug),
      sloUrl: this.addresses.slo(connection.slug),
      keys: await this.keys.samlKeys(),
    });
  }

  /** Asks the IdP to end its session too; the connection has a `sloUrl`. The id is what its answer refers to. */
  async logoutRequest(
    connection: SamlSettings,
    session: { nameId: NameId; sessionIndex: string | null },
    relayState: string,
  ): Promise<BrowserStep & { id: string }> {
    return logoutRequest(connection, session, relayState, await this.senderTo(connection));
  }

  /** Verifies a logout message of the IdP, request or answer. @throws SamlRefused */
  async readLogout(connection: SamlSettings, arrived: ArrivedLogout): Promise<LogoutMessage> {
    const arrival = { sloUrl: this.addresses.slo(connection.slug), now: this.clock.now() };
    return readLogout(connection, arrived, arrival, this.verifier);
  }

  /** Answers an IdP's LogoutRequest; the connection has a `sloUrl`. */
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
