import type { ClaimMap } from './connection.js';
import type { IdTokenAlg, TokenAuth } from '../../protocols/oidc/oidc-settings.js';
import type { SamlBinding, SamlSigned } from '../../protocols/saml/saml-settings.js';

// The contents of `connections.settings`, by the names of the API. Secrets are in sealed columns.

/** Settings of both types. */
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

/** The stored settings of a connection to an OpenID provider. */
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

/** What metadata says about an IdP, or an administrator in its place. */
export interface IdpSettings {
  idp_entity_id: string;
  sso_url: string;
  sso_binding: SamlBinding;
  slo_url: string | null;
  slo_binding: SamlBinding;
  slo_response_url: string | null;
  certificates: PinnedCertificate[];
  /** The stated validity of the metadata; null: none is stated, or there is no metadata. */
  metadata_cache_seconds: number | null;
}

/** The stored settings of a connection to a SAML IdP. */
export interface StoredSamlSettings extends CommonSettings, IdpSettings {
  /** Where the metadata is read again, at least daily; null: an administrator keeps the settings up to date. */
  metadata_url: string | null;
  /** One of these has to have signed the metadata; empty: it may be unsigned. */
  metadata_certificates: PinnedCertificate[];
  signed: SamlSigned;
  sign_requests: boolean;
  allow_idp_initiated: boolean;
  name_id_format: string | null;
  /** Absent when the NameID is the subject. */
  subject_claim?: string;
  /** null: the address of our metadata. */
  sp_entity_id: string | null;
  clock_skew_seconds: number;
  authn_contexts: string[];
}

/** The columns of a connection that describe it. */
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

/** A connection with its settings, by its type. */
export type Typed<Head> = Head &
  ({ type: 'oidc'; settings: StoredOidcSettings } | { type: 'saml'; settings: StoredSamlSettings });
