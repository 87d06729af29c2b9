import type { ClaimMap } from './connection.js';
import type { IdTokenAlg, TokenAuth } from '../oidc/oidc-settings.js';
import type { SamlBinding, SamlSigned } from '../saml/saml-settings.js';

// What stands in `connections.settings`, by the API's names. Secrets stand beside it, sealed.

/** What connections of both types have. */
export interface CommonSettings {
  link_claim: string | null;
  claim_map: ClaimMap;
  /** In the order of the admin: the first value that somebody has counts. (An object would lose it in the database.) */
  role_map: [value: string, role: string][];
  /** Absent where it is `domain`. */
  email_trust?: 'verified';
  jit: boolean;
  default_role: string;
  return_origins: string[];
}

/** The stored settings of a connection to an OpenID provider. */
export interface OidcSettings extends CommonSettings {
  issuer: string;
  /** Absent in connections of before there was one. */
  discovery_url?: string | null;
  client_id: string;
  token_auth: TokenAuth;
  scopes: string[];
  id_token_alg: IdTokenAlg | null;
  user_info: 'never' | 'optional' | 'required';
  max_age_seconds: number | null;
  acr_values: string[];
}

/** A pinned certificate, and since when we know it. */
export interface PinnedCertificate {
  pem: string;
  /** RFC 3339. */
  added_at: string;
}

/** What an IdP's metadata says, or an admin in its place. */
export interface IdpSettings {
  idp_entity_id: string;
  sso_url: string;
  sso_binding: SamlBinding;
  slo_url: string | null;
  slo_binding: SamlBinding;
  slo_response_url: string | null;
  certificates: PinnedCertificate[];
  /** How long the metadata says that it holds; null: it does not say, or there is none. */
  metadata_cache_seconds: number | null;
}

/** The stored settings of a connection to a SAML IdP. */
export interface SamlSettings extends CommonSettings, IdpSettings {
  /** From where it is read again, daily at the least; null: an admin keeps it up to date. */
  metadata_url: string | null;
  /** One of these has to have signed the metadata; empty: unsigned metadata is taken. */
  metadata_certificates: PinnedCertificate[];
  signed: SamlSigned;
  sign_requests: boolean;
  allow_idp_initiated: boolean;
  name_id_format: string | null;
  /** Absent where the NameID is the subject. */
  subject_claim?: string;
  /** null: the address of our metadata. */
  sp_entity_id: string | null;
  clock_skew_seconds: number;
  authn_contexts: string[];
}

/** The columns of a connection that say how it works. */
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
export type Typed<Head> = Head & ({ type: 'oidc'; settings: OidcSettings } | { type: 'saml'; settings: SamlSettings });
