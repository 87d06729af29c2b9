/** How a client authenticates at the token endpoint (OIDC Core §9). */
export const TOKEN_AUTH = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;
/** One of `TOKEN_AUTH`. */
export type TokenAuth = (typeof TOKEN_AUTH)[number];

/** The accepted signature algorithms of ID tokens: no HMAC, and never `none` (RFC 8725 §3.1). */
export const ID_TOKEN_ALGS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
/** One of `ID_TOKEN_ALGS`. */
export type IdTokenAlg = (typeof ID_TOKEN_ALGS)[number];

/** What this room needs to know of one OpenID provider and of our client there. */
export interface OidcSettings {
  readonly tenantId: string;
  readonly id: string;
  /** The part of our addresses that names the connection. */
  readonly slug: string;
  /** Moves with every change: keys and metadata read for an older version are not used any more. */
  readonly version: number;
  /** Exactly as the IdP writes it: a slash at the end counts (OIDC Discovery §4.3). */
  readonly issuer: string;
  /** The address of the metadata; null: the one of OIDC Discovery §4. */
  readonly discoveryUrl: string | null;
  readonly clientId: string;
  readonly tokenAuth: TokenAuth;
  /** In plain text; null with `private_key_jwt`. */
  readonly clientSecret: string | null;
  /** A private JWK with `kid` and `alg`; null unless `private_key_jwt`. */
  readonly privateKey: Readonly<Record<string, unknown>> | null;
  readonly scopes: readonly string[];
  /** The pinned algorithm; null: each of ID_TOKEN_ALGS that the IdP announces. */
  readonly idTokenAlg: IdTokenAlg | null;
  /** Whether claims are also read from UserInfo. `optional`: a failure there does not refuse the sign-in. */
  readonly userInfo: 'never' | 'optional' | 'required';
  /** The `max_age` of requests, in seconds; null: none is sent. */
  readonly maxAgeSeconds: number | null;
  /** Accepted values of `acr`; empty: any. */
  readonly acrValues: readonly string[];
}

/** Our addresses that requests to an OpenID provider name. */
export abstract class OidcAddresses {
  /** The redirect URI of a connection. */
  abstract callback(slug: string): string;
  /** Where the IdP sends the browser after a logout (`post_logout_redirect_uri`). */
  abstract readonly signedOut: string;
}

/** What a verified ID token, and UserInfo where it is read, say about a person. */
export interface OidcSignIn {
  /** `sub`; compared letter by letter. */
  subject: string;
  claims: Readonly<Record<string, unknown>>;
  /** Why the claims hold nothing of UserInfo although the connection wants it; null: they do, or it does not. */
  userInfoProblem: string | null;
  /** The algorithm and key of the signature: text for an admin. */
  signature: string;
  /** `iat`. */
  issuedAt: Date;
  /** `auth_time`; null: the IdP does not state when the user authenticated. */
  authenticatedAt: Date | null;
  /** `session_expiry`; null: there is none. */
  sessionEnds: Date | null;
  /** `sid`. */
  idpSession: string | null;
  /** `acr`. */
  authContext: string | null;
  /** The ID token as it came, for RP-initiated logout. */
  idToken: string;
}
