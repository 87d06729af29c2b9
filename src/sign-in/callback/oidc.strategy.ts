import { Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import OIDCStrategy from 'passport-openidconnect';
import type { OidcConnection } from '../../connections/connection.js';
import { refusalIn } from '../refusals/protocol-refusals.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import { fromOidc } from '../verified-sign-in.mapping.js';
import type { VerifiedSignIn } from '../verified-sign-in.js';
import type { OidcExpected, OidcProtocol } from '../../oidc/oidc.protocol.js';

/** A sign-in that an IdP has answered: who can judge the answer, and what it is judged by. */
export interface PendingOidcSignIn {
  protocol: OidcProtocol;
  connection: OidcConnection;
  query: URLSearchParams;
  expected: OidcExpected;
}

const NAME = 'tenant-oidc';

/** The base class wants addresses when it is made; each connection has its own, and these are never called. */
const UNUSED = 'https://idp.invalid/';

/**
 * passport-openidconnect as the shell of a sign-in. What it would do by itself knows no PKCE and no signature, so all of
 * it is done by OidcProtocol.
 *
 * There is one passport for all applications of a process, and it keeps the strategy that was made last. So nothing is
 * injected here; what belongs to a request comes with the request.
 */
@Injectable()
export class TenantOidcStrategy extends PassportStrategy(OIDCStrategy, NAME) {
  constructor() {
    super({
      issuer: UNUSED,
      authorizationURL: UNUSED,
      tokenURL: UNUSED,
      userInfoURL: UNUSED,
      callbackURL: UNUSED,
      clientID: 'unused',
      clientSecret: 'unused',
      nonce: 'true',
    });
  }

  /** Ends in `success` with a VerifiedSignIn, or in `error`; never in `pass`, which would let a request through. */
  override authenticate(req: Request & { signIn?: PendingOidcSignIn }): void {
    const pending = req.signIn;
    if (pending === undefined) return this.error(new Error('no sign-in was prepared for this request'));
    const { protocol, connection, query, expected } = pending;
    protocol.finish(connection, query, expected).then(
      (verified) => this.success(fromOidc(verified)),
      (error: Error) => this.error(refusalIn(error) ?? error),
    );
  }

  /** passport-openidconnect's own verification; nothing leads here. */
  validate(): never {
    throw new Error('the sign-in is verified elsewhere');
  }
}

/** Lets a callback through with the verified sign-in as `req.user`, or throws the refusal. */
@Injectable()
export class OidcSignInGuard extends AuthGuard(NAME) {
  override handleRequest<T = VerifiedSignIn>(error: Error | null | undefined, user: T | false | null | undefined): T {
    if (error) throw error;
    if (!user) throw new SignInRefused('idp_answer_invalid', 'The answer of the IdP led to nobody.');
    return user;
  }
}
