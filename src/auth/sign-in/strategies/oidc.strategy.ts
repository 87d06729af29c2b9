import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import OIDCStrategy from 'passport-openidconnect';
import { runSignIn, type PreparedRequest } from './prepared-request.js';

/** The name of the strategy. */
export const TENANT_OIDC = 'tenant-oidc';

/** The base class demands addresses. They are never called: each connection has its own. */
const UNUSED = 'https://idp.invalid/';

/**
 * The Passport strategy of OpenID Connect. passport-openidconnect itself checks neither PKCE nor signature, so it runs
 * the sign-in of the service, in which OidcProtocol does all of it.
 */
@Injectable()
export class TenantOidcStrategy extends PassportStrategy(OIDCStrategy, TENANT_OIDC) {
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
  override authenticate(req: PreparedRequest): void {
    runSignIn(this, req);
  }

  /** The verification of passport-openidconnect, which is never called. */
  validate(): never {
    throw new Error('the sign-in is verified elsewhere');
  }
}
