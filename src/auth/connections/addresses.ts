import { Injectable } from '@nestjs/common';
import { Config } from '../../base/config/config.js';
import type { OidcAddresses } from '../../protocols/oidc/oidc-settings.js';
import type { SamlAddresses } from '../../protocols/saml/saml-settings.js';

/** Our public addresses, from the settings and never from a Host header. */
@Injectable()
export class AuthAddresses implements SamlAddresses, OidcAddresses {
  constructor(private readonly config: Config) {}

  /** Scheme, host and port of the application. */
  get origin(): string {
    return new URL(this.config.appUrl).origin;
  }

  /** The target of a sign-in that names none. */
  get home(): string {
    return `${this.config.appUrl}/`;
  }

  get login(): string {
    return this.at('login');
  }

  /** The redirect URI (OIDC), or the assertion consumer service (SAML). */
  callback(slug: string): string {
    return this.at(`callback/${slug}`);
  }

  /** The SP metadata, and its default entity id. */
  metadata(slug: string): string {
    return this.at(`metadata/${slug}`);
  }

  slo(slug: string): string {
    return this.at(`slo/${slug}`);
  }

  backchannelLogout(slug: string): string {
    return this.at(`backchannel-logout/${slug}`);
  }

  /** The address that an IdP loads in a frame at its logout. */
  frontchannelLogout(slug: string): string {
    return this.at(`frontchannel-logout/${slug}`);
  }

  clientKeys(slug: string): string {
    return this.at(`jwks/${slug}`);
  }

  get endSession(): string {
    return this.at('sessions/end');
  }

  get logout(): string {
    return this.at('logout');
  }

  test(slug: string, handle: string): string {
    return this.at(`test/${slug}/${handle}`);
  }

  /** The page of an operator's sign-in link; with the secret, the link. */
  ownerSignIn(secret?: string): string {
    return this.at('owner-sign-in') + (secret === undefined ? '' : `#${secret}`);
  }

  /** The endpoint of Okta's Universal Logout. */
  globalTokenRevocation(slug: string): string {
    return this.at(`global-token-revocation/${slug}`);
  }

  /** The address after a form that another site has posted: the browser continues with its own cookies. */
  landing(slug: string, query: Record<string, string>): string {
    return `${this.at(`landing/${slug}`)}?${new URLSearchParams(query).toString()}`;
  }

  get signedOut(): string {
    return this.at('signed-out');
  }

  private at(path: string): string {
    return `${this.config.appUrl}/api/auth/${path}`;
  }
}
