import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { MultiSamlStrategy } from '@node-saml/passport-saml';
import { runSignIn, type PreparedRequest } from './prepared-request.js';

/** The name of the strategy. */
export const TENANT_SAML = 'tenant-saml';

/**
 * The Passport strategy of SAML. passport-saml's own `authenticate` also reads the query, and accepts an unsigned
 * LogoutResponse there as a sign-in. So it is not run: the strategy runs the sign-in of the service, in which SamlProtocol
 * verifies the form.
 */
@Injectable()
export class TenantSamlStrategy extends PassportStrategy(MultiSamlStrategy, TENANT_SAML) {
  constructor() {
    super({ getSamlOptions: (_req, done) => done(new Error('the sign-in is verified elsewhere')) }, unused);
  }

  /** Ends in `success` with a VerifiedSignIn, or in `error`; never in `pass`, which would let a request through. */
  override authenticate(req: PreparedRequest): void {
    runSignIn(this, req);
  }

  /** The verification of passport-saml, which is never called. */
  validate(): never {
    return unused();
  }
}

function unused(): never {
  throw new Error('the sign-in is verified elsewhere');
}
