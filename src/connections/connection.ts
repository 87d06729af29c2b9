/** How a client proves itself at the token endpoint (OIDC Core §9). */
export const TOKEN_AUTH = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;
export type TokenAuth = (typeof TOKEN_AUTH)[number];

/** The signatures of ID tokens that are believed. No HMAC, and never `none` (RFC 8725 §3.1). */
export const ID_TOKEN_ALGS = ['RS256', 'PS256', 'ES256', 'EdDSA'] as const;
export type IdTokenAlg = (typeof ID_TOKEN_ALGS)[number];

/** What of a SAML answer has to be signed; `both` wants the assertion and the response around it. */
export const SAML_SIGNED = ['assertion', 'response', 'both'] as const;
export type SamlSigned = (typeof SAML_SIGNED)[number];

/**
 * What makes an e-mail good enough to find or make a user by. `domain`: the tenant's verified domain, unless the IdP says that
 * the e-mail is not verified; `verified`: the IdP has to say that it is (`email_verified`), too.
 */
export const EMAIL_TRUST = ['domain', 'verified'] as const;
export type EmailTrust = (typeof EMAIL_TRUST)[number];

export type SamlBinding = 'redirect' | 'post';

/** Which claim (OIDC) or attribute (SAML) feeds which field; what is not named takes the usual names. */
export interface ClaimMap {
  email?: string;
  first_name?: string;
  last_name?: string;
  user_name?: string;
  external_id?: string;
  role?: string;
}

interface ConnectionBase {
  readonly tenantId: string;
  readonly id: string;
  /** The part of the addresses that names it, unique over all tenants. */
  readonly slug: string;
  readonly name: string;
  readonly enabled: boolean;
  /** Moves with every change: what was made from an older one is not used any more. */
  readonly version: number;
  /** The first sign-in, real or test, that succeeded with the present settings; null: none has. */
  readonly testedAt: Date | null;
  /** The directory whose people sign in here; null: not paired. */
  readonly directoryId: string | null;
  /** The claim that equals SCIM `externalId`; null: the IdP's usual one (`oid` of Entra, else the subject). */
  readonly linkClaim: string | null;
  readonly claimMap: ClaimMap;
  readonly emailTrust: EmailTrust;
  /** Values of the role claim and the roles that they give; the first that somebody has counts, others give nothing. */
  readonly roleMap: readonly (readonly [value: string, role: string])[];
  /** Makes people who are not there yet. Never while paired. */
  readonly jit: boolean;
  /** The role of whom it makes when no value of the role claim is mapped. */
  readonly defaultRole: string;
  /** Origins of other applications that people may be sent back to. */
  readonly returnOrigins: readonly string[];
}

export interface OidcConnection extends ConnectionBase {
  readonly type: 'oidc';
  /** Exactly as the IdP writes it: a slash at the end counts (OIDC Discovery §4.3). */
  readonly issuer: string;
  /** Where its metadata is, if not where OIDC Discovery §4 says; null: there. */
  readonly discoveryUrl: string | null;
  readonly clientId: string;
  readonly tokenAuth: TokenAuth;
  /** Opened; null with `private_key_jwt`. */
  readonly clientSecret: string | null;
  /** A private JWK (`kid`, `alg` in it); null unless `private_key_jwt`. */
  readonly privateKey: Readonly<Record<string, unknown>> | null;
  readonly scopes: readonly string[];
  /** Pinned; null: whichever of ID_TOKEN_ALGS the IdP announces. */
  readonly idTokenAlg: IdTokenAlg | null;
  /** Whether claims are also read from UserInfo, and what its failure means. */
  readonly userInfo: 'never' | 'optional' | 'required';
  /** Asks for a sign-in that is at most so old; null: whatever the IdP thinks. */
  readonly maxAgeSeconds: number | null;
  /** One of these has to be the `acr` of the ID token; empty: any. */
  readonly acrValues: readonly string[];
}

export interface SamlConnection extends ConnectionBase {
  readonly type: 'saml';
  readonly idpEntityId: string;
  readonly ssoUrl: string;
  readonly ssoBinding: SamlBinding;
  /** null: the IdP offers no single logout. */
  readonly sloUrl: string | null;
  readonly sloBinding: SamlBinding;
  /** Where answers to its logout go; null: there as well. */
  readonly sloResponseUrl: string | null;
  /** The pinned certificates of the IdP, PEM; any of them may have signed. */
  readonly certificates: readonly string[];
  readonly signed: SamlSigned;
  /** Whether our requests are signed. */
  readonly signRequests: boolean;
  readonly allowIdpInitiated: boolean;
  /** The format that is asked for; null: none is named. */
  readonly nameIdFormat: string | null;
  /** The attribute that is the subject; null: the NameID is, which must not be transient then. */
  readonly subjectClaim: string | null;
  /** Who we are to this IdP; the address of our metadata unless set. */
  readonly spEntityId: string;
  /** Seconds by which clocks may differ, at most 180. */
  readonly clockSkewSeconds: number;
  /** One of these has to be the AuthnContextClassRef; empty: any. */
  readonly authnContexts: readonly string[];
}

/** One IdP that a tenant's people sign in through, with its secrets opened. */
export type Connection = OidcConnection | SamlConnection;
