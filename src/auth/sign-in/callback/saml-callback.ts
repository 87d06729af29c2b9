import { Injectable } from '@nestjs/common';
import { readForm } from '../../../base/http/form.js';
import { SAML_FIELDS, type SamlAnswer } from '../../../protocols/saml/answer.js';
import { SamlProtocol } from '../../../protocols/saml/saml.protocol.js';
import { CertificateRenewal } from '../../connections/certificate-renewal.js';
import type { SamlConnection } from '../../connections/connection.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import type { SignInHttpRequest } from '../sign-in.context.js';
import { fromSaml } from '../strategies/verified-sign-in.mapping.js';
import type { VerifiedSignIn } from '../strategies/verified-sign-in.js';
import { PendingSignIns } from './pending-sign-ins.js';

/** A SAML answer in base64, with the names of the form fields. */
const FORM_BYTES = 256 * 1024 + 4_096;

/** The answer of a SAML IdP, until the controller completes the sign-in. */
@Injectable()
export class SamlCallback {
  constructor(
    private readonly pending: PendingSignIns,
    private readonly protocol: SamlProtocol,
    private readonly renewal: CertificateRenewal,
  ) {}

  /**
   * Reads the answer, takes the sign-in request that it names, and verifies the answer.
   *
   * @throws {SignInRefused} when the connection does not accept the answer, also with a valid signature
   * @throws {SamlRefused} when the answer is not valid
   */
  async signIn(req: SignInHttpRequest): Promise<VerifiedSignIn> {
    // The connection first: a form for none is not read.
    const connection = await this.pending.connectionOf(req, 'saml');
    const answer = await this.read(req, connection);
    await this.take(req, connection, answer);
    return this.verify(req, connection, answer);
  }

  private async read(req: SignInHttpRequest, connection: SamlConnection): Promise<SamlAnswer> {
    const form = await readForm(req, FORM_BYTES, SAML_FIELDS);
    if (/[?&]saml(response|request)=/i.test(req.originalUrl) || form.has('SAMLRequest')) {
      throw new SignInRefused('binding_refused', 'an answer has to come in the form of an HTTP-POST alone');
    }
    await this.pending.demandMayAnswer(req, connection, form.get('RelayState') ?? '');
    return this.protocol.read(form);
  }

  /** Uses up the sign-in request of an answer. An answer without one has to be permitted by the connection. */
  private async take(req: SignInHttpRequest, connection: SamlConnection, answer: SamlAnswer): Promise<void> {
    const { inResponseTo, relayState } = answer;
    if (inResponseTo !== null) {
      const handle = inResponseTo.slice(1);
      if (!inResponseTo.startsWith('_') || (relayState !== null && relayState !== handle)) {
        throw new SignInRefused('in_response_to_mismatch', 'InResponseTo and RelayState do not name the same sign-in');
      }
      await this.pending.take(req, connection, handle);
    } else if (!connection.allowIdpInitiated) {
      throw new SignInRefused('unsolicited', 'the answer has no request, which the connection does not permit');
    } else if (!connection.enabled) {
      throw new SignInRefused('connection_disabled', 'the connection is disabled');
    } else {
      req.signInContext!.returnTo = relayState;
    }
  }

  /** Verifies an answer, also with certificates that the IdP has published since. */
  private async verify(
    req: SignInHttpRequest,
    connection: SamlConnection,
    answer: SamlAnswer,
  ): Promise<VerifiedSignIn> {
    const expected = { requestId: answer.inResponseTo };
    const verified = await this.renewal.verified(connection, (one) => this.protocol.verify(one, answer, expected));
    // The rest of the sign-in uses the connection with its new certificates.
    req.signInContext!.connection = verified.connection;
    return fromSaml(verified.result);
  }
}
