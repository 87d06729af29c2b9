import { Injectable } from '@nestjs/common';
import { Config } from '../base/config/config.js';
import type { OidcAddresses } from '../oidc/oidc-addresses.js';
import type { SamlAddresses } from '../saml/saml-addresses.js';

/** Where the IdPs and browsers find us: from the settings, never from a Host header. */
@Injectable()
export class AuthAddresses implements SamlAddresses, OidcAddresses {
  constructor(private readonly config: Config) {}

  /** Scheme, host and port of the application. */
  get origin(): string {
    return new URL(this.config.appUrl).origin;
  }

  /** Where people go when nobody said where. */
  get home(): string {
    return `${this.config.appUrl}/`;
  }

  get login(): string {
    return this.at('login');
  }

  /** The redirect URI (OIDC) and the assertion consumer service (SAML) of a connection. */
  callback(slug: string): string {
    return this.at(`callback/${slug}`);
  }

  /** SP metadata, and our entity id unless a connection has another one. */
  metadata(slug: string): string {
    return this.at(`metadata/${slug}`);
  }

  slo(slug: string): string {
    return this.at(`slo/${slug}`);
  }

  backchannelLogout(slug: string): string {
    return this.at(`backchannel-logout/${slug}`);
  }

  /** What the pages of an IdP load in a frame when a user signs out there. */
  frontchannelLogout(slug: string): string {
    return this.at(`frontchannel-logout/${slug}`);
  }

  /** The public keys by which an IdP knows us (`private_key_jwt`). */
  clientKeys(slug: string): string {
    return this.at(`jwks/${slug}`);
  }

  /** Where the front page ends one of the user's sessions. */
  get endSession(): string {
    return this.at('sessions/end');
  }

  get logout(): string {
    return this.at('logout');
  }

  /** What an admin opens to try a connection. */
  test(slug: string, handle: string): string {
    return this.at(`test/${slug}/${handle}`);
  }

  /** The page of a sign-in link that the operator makes; with the secret, the link itself. */
  ownerSignIn(secret?: string): string {
    return this.at('owner-sign-in') + (secret === undefined ? '' : `#${secret}`);
  }

  /** Where Okta's Universal Logout goes. */
  globalTokenRevocation(slug: string): string {
    return this.at(`global-token-revocation/${slug}`);
  }

  /** Where a browser goes on after a form that another site has posted, with its own cookies. */
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
