import { Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import OIDCStrategy from 'passport-openidconnect';
import type { OidcConnection } from '../../connections/connection.js';
import { refusalIn } from '../refusals/protocol-refusals.js';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import { fromOidc } from './verified-sign-in.mapping.js';
import type { VerifiedSignIn } from './verified-sign-in.js';
import type { OidcExpected, OidcProtocol } from '../../../protocols/oidc/oidc.protocol.js';

/** An answered sign-in, and what verifies it. */
export interface PendingOidcSignIn {
  protocol: OidcProtocol;
  connection: OidcConnection;
  query: URLSearchParams;
  expected: OidcExpected;
}

const NAME = 'tenant-oidc';

/** The base class demands addresses. They are never called: each connection has its own. */
const UNUSED = 'https://idp.invalid/';

/**
 * The Passport strategy of OpenID Connect. passport-openidconnect itself checks neither PKCE nor signature, so
 * OidcProtocol does all of it.
 *
 * All applications of a process share one Passport, which keeps the strategy made last. So nothing is injected here;
 * everything comes with the request.
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

  /** The verification of passport-openidconnect, which is never called. */
  validate(): never {
    throw new Error('the sign-in is verified elsewhere');
  }
}

/** Accepts a callback with the verified sign-in as `req.user`, or throws the refusal. */
@Injectable()
export class OidcSignInGuard extends AuthGuard(NAME) {
  override handleRequest<T = VerifiedSignIn>(error: Error | null | undefined, user: T | false | null | undefined): T {
    if (error) throw error;
    if (!user) throw new SignInRefused('idp_answer_invalid', 'The answer of the IdP was not verified.');
    return user;
  }
}
