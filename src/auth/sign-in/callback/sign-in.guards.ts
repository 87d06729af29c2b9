import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import { SignInRefused } from '../refusals/sign-in-refused.js';
import type { SignInHttpRequest } from '../sign-in.context.js';
import { TENANT_OIDC } from '../strategies/oidc.strategy.js';
import { TENANT_SAML } from '../strategies/saml.strategy.js';
import type { VerifiedSignIn } from '../strategies/verified-sign-in.js';
import { OidcCallback } from './oidc-callback.js';
import { SamlCallback } from './saml-callback.js';

/** Has Passport sign in by OpenID Connect: the verified sign-in becomes `req.user`, or the refusal is thrown. */
@Injectable()
export class OidcSignInGuard extends AuthGuard(TENANT_OIDC) {
  constructor(private readonly callback: OidcCallback) {
    super();
  }

  override canActivate(context: ExecutionContext): ReturnType<CanActivate['canActivate']> {
    const req = context.switchToHttp().getRequest<SignInHttpRequest>();
    req.signIn = () => this.callback.signIn(req);
    return super.canActivate(context);
  }

  override handleRequest<T = VerifiedSignIn>(error: Error | null | undefined, user: T | false | null | undefined): T {
    return verifiedOr(error, user);
  }
}

/** Has Passport sign in by SAML: the verified sign-in becomes `req.user`, or the refusal is thrown. */
@Injectable()
export class SamlSignInGuard extends AuthGuard(TENANT_SAML) {
  constructor(private readonly callback: SamlCallback) {
    super();
  }

  override canActivate(context: ExecutionContext): ReturnType<CanActivate['canActivate']> {
    const req = context.switchToHttp().getRequest<SignInHttpRequest>();
    req.signIn = () => this.callback.signIn(req);
    return super.canActivate(context);
  }

  override handleRequest<T = VerifiedSignIn>(error: Error | null | undefined, user: T | false | null | undefined): T {
    return verifiedOr(error, user);
  }
}

function verifiedOr<T>(error: Error | null | undefined, user: T | false | null | undefined): T {
  if (error) throw error;
  if (!user) throw new SignInRefused('idp_answer_invalid', 'The answer of the IdP was not verified.');
  return user;
}
