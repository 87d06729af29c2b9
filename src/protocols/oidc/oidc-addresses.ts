/** Our addresses that requests to an OpenID provider name. */
export abstract class OidcAddresses {
  /** The redirect URI of a connection. */
  abstract callback(slug: string): string;
  /** Where the IdP sends the browser after a logout (`post_logout_redirect_uri`). */
  abstract readonly signedOut: string;
}
