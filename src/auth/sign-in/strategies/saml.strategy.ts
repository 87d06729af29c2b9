import { Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { MultiSamlStrategy } from '@node-saml/passport-saml';
import type { SamlConnection } from '../../connections/connection.js';
import { refusalIn } from '../refusals/protocol-refusals.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import { fromSaml } from './verified-sign-in.mapping.js';
import type { VerifiedSignIn } from './verified-sign-in.js';
import type { SamlAnswer } from '../../../protocols/saml/answer.js';
import type { SamlSignIn } from '../../../protocols/saml/saml-sign-in.js';

/** An answered sign-in, and what verifies it. */
export interface PendingSamlSignIn {
  protocol: {
    /** Verifies the answer, also with certificates that the IdP has published since. */
    verify(connection: SamlConnection, answer: SamlAnswer, expected: { requestId: string | null }): Promise<SamlSignIn>;
  };
  connection: SamlConnection;
  answer: SamlAnswer;
  /** The request of the sign-in; null: the IdP began it. */
  expected: { requestId: string | null };
}

const NAME = 'tenant-saml';

/**
 * The Passport strategy of SAML. passport-saml's own `authenticate` also reads the query, and accepts an unsigned
 * LogoutResponse there as a sign-in. So it is not run: SamlProtocol verifies the form that the guard has read.
 *
 * All applications of a process share one Passport, which keeps the strategy made last. So nothing is injected here;
 * everything comes with the request.
 */
@Injectable()
export class TenantSamlStrategy extends PassportStrategy(MultiSamlStrategy, NAME) {
  constructor() {
    super({ getSamlOptions: (_req, done) => done(new Error('the sign-in is verified elsewhere')) }, unused);
  }

  /** Ends in `success` with a VerifiedSignIn, or in `error`; never in `pass`, which would let a request through. */
  override authenticate(req: { readonly url: string; signIn?: PendingSamlSignIn }): void {
    const pending = req.signIn;
    if (pending === undefined) return this.error(new Error('no sign-in was prepared for this request'));
    const { protocol, connection, answer, expected } = pending;
    protocol.verify(connection, answer, expected).then(
      (verified) => this.success(fromSaml(verified)),
      (error: Error) => this.error(refusalIn(error) ?? error),
    );
  }

  /** The verification of passport-saml, which is never called. */
  validate(): never {
    return unused();
  }
}

function unused(): never {
  throw new Error('the sign-in is verified elsewhere');
}

/** Accepts an answer with the verified sign-in as `req.user`, or throws the refusal. */
@Injectable()
export class SamlSignInGuard extends AuthGuard(NAME) {
  override handleRequest<T = VerifiedSignIn>(error: Error | null | undefined, user: T | false | null | undefined): T {
    if (error) throw error;
    if (!user) throw new SignInRefused('idp_answer_invalid', 'The answer of the IdP was not verified.');
    return user;
  }
}
