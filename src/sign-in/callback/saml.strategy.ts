import { Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { MultiSamlStrategy } from '@node-saml/passport-saml';
import type { SamlConnection } from '../../connections/connection.js';
import { refusalIn } from '../refusals/protocol-refusals.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import { fromSaml } from '../verified-sign-in.mapping.js';
import type { VerifiedSignIn } from '../verified-sign-in.js';
import type { SamlAnswer } from '../../saml/answer.js';
import type { SamlSignIn } from '../../saml/saml-sign-in.js';

/** A sign-in that an IdP has answered: who can judge the answer, and what it is judged by. */
export interface PendingSamlSignIn {
  protocol: {
    /** Verifies the answer, also with certificates that the IdP has published since. */
    verify(connection: SamlConnection, answer: SamlAnswer, expected: { requestId: string | null }): Promise<SamlSignIn>;
  };
  connection: SamlConnection;
  answer: SamlAnswer;
  /** The request that is answered; null: the IdP began by itself. */
  expected: { requestId: string | null };
}

const NAME = 'tenant-saml';

/**
 * passport-saml as the shell of a sign-in. Its own `authenticate` looks at the query as well and lets an unsigned
 * LogoutResponse there pass as if somebody had signed in; so nothing of it is run, and SamlProtocol verifies with
 * node-saml what the door has read from the form.
 *
 * There is one passport for all applications of a process, and it keeps the strategy that was made last. So nothing is
 * injected here; what belongs to a request comes with the request.
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

  /** passport-saml's own verification; nothing leads here. */
  validate(): never {
    return unused();
  }
}

function unused(): never {
  throw new Error('the sign-in is verified elsewhere');
}

/** Lets an answer through with the verified sign-in as `req.user`, or throws the refusal. */
@Injectable()
export class SamlSignInGuard extends AuthGuard(NAME) {
  override handleRequest<T = VerifiedSignIn>(error: Error | null | undefined, user: T | false | null | undefined): T {
    if (error) throw error;
    if (!user) throw new SignInRefused('idp_answer_invalid', 'The answer of the IdP led to nobody.');
    return user;
  }
}
