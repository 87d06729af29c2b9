import type { OidcSettings, IdTokenAlg, TokenAuth } from '../../protocols/oidc/oidc-settings.js';
import type { SamlSettings, SamlBinding, SamlSigned } from '../../protocols/saml/saml-settings.js';

/**
 * Which e-mails may find or create a user. `domain`: those in a verified domain of the tenant, unless the IdP calls the e-mail
 * unverified. `verified`: the IdP also has to send `email_verified`.
 */
export const EMAIL_TRUST = ['domain', 'verified'] as const;
/** @see EMAIL_TRUST */
export type EmailTrust = (typeof EMAIL_TRUST)[number];

/** The claim (OIDC) or attribute (SAML) of each field; fields without one take the usual names. */
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
  /** The part of its addresses that names it, unique over all tenants. */
  readonly slug: string;
  readonly name: string;
  readonly enabled: boolean;
  /** Moves with every change, which ends the use of data from an older version. */
  readonly version: number;
  /** The first successful sign-in, real or test, with the present settings. */
  readonly testedAt: Date | null;
  /** null while no directory is paired. */
  readonly directoryId: string | null;
  /** The claim that equals SCIM `externalId`; null for the usual one of the IdP (`oid` of Entra, else the subject). */
  readonly linkClaim: string | null;
  readonly claimMap: ClaimMap;
  readonly emailTrust: EmailTrust;
  /** Values of the role claim with their roles; the first match counts. */
  readonly roleMap: readonly (readonly [value: string, role: string])[];
  /** Whether sign-ins create users. Never while paired. */
  readonly jit: boolean;
  readonly defaultRole: string;
  readonly returnOrigins: readonly string[];
}

/** A connection to an OpenID provider, with its secrets opened. */
export interface OidcConnection extends ConnectionBase, OidcSettings {
  readonly type: 'oidc';
}

/** A connection to a SAML IdP. */
export interface SamlConnection extends ConnectionBase, SamlSettings {
  readonly type: 'saml';
}

/** A connection to one IdP of a tenant, with its secrets in plain text. */
export type Connection = OidcConnection | SamlConnection;

// The contents of `connections.settings`, by the names of the API. Secrets are in sealed columns.

export interface CommonSettings {
  link_claim: string | null;
  claim_map: ClaimMap;
  /** In the written order: the first matching value counts. (jsonb does not keep the order of an object.) */
  role_map: [value: string, role: string][];
  /** Absent for `domain`. */
  email_trust?: 'verified';
  jit: boolean;
  default_role: string;
  return_origins: string[];
}

export interface StoredOidcSettings extends CommonSettings {
  issuer: string;
  /** Absent in older connections. */
  discovery_url?: string | null;
  client_id: string;
  token_auth: TokenAuth;
  scopes: string[];
  id_token_alg: IdTokenAlg | null;
  user_info: 'never' | 'optional' | 'required';
  max_age_seconds: number | null;
  acr_values: string[];
}

/** A pinned certificate, and since when it is known. */
export interface PinnedCertificate {
  pem: string;
  /** RFC 3339. */
  added_at: string;
}

/** Facts about an IdP, from its metadata or from an administrator. */
export interface IdpSettings {
  idp_entity_id: string;
  sso_url: string;
  sso_binding: SamlBinding;
  slo_url: string | null;
  slo_binding: SamlBinding;
  slo_response_url: string | null;
  certificates: PinnedCertificate[];
  /** The stated validity; null when none is stated, or there is no metadata. */
  metadata_cache_seconds: number | null;
}

export interface StoredSamlSettings extends CommonSettings, IdpSettings {
  /** Where the metadata is read again, at least daily; null when an administrator keeps the settings up to date. */
  metadata_url: string | null;
  /** One of these has to have signed the metadata; empty: it may be unsigned. */
  metadata_certificates: PinnedCertificate[];
  signed: SamlSigned;
  sign_requests: boolean;
  allow_idp_initiated: boolean;
  name_id_format: string | null;
  /** Absent when the NameID is the subject. */
  subject_claim?: string;
  /** null for the address of our metadata. */
  sp_entity_id: string | null;
  clock_skew_seconds: number;
  authn_contexts: string[];
}

export interface ConnectionHead {
  tenant_id: string;
  id: string;
  slug: string;
  name: string;
  enabled: boolean;
  version: number;
  tested_at: Date | null;
  directory_id: string | null;
}

export type Typed<Head> = Head &
  ({ type: 'oidc'; settings: StoredOidcSettings } | { type: 'saml'; settings: StoredSamlSettings });
