import type { StoredOidcSettings, StoredSamlSettings } from '../../../../src/auth/connections/connection.js';

const common = {
  link_claim: null,
  claim_map: {},
  role_map: [],
  jit: false,
  default_role: 'User',
  return_origins: [],
};

/** The stored settings of a connection to an OpenID provider. */
export const oidcSettings: StoredOidcSettings = {
  ...common,
  issuer: 'https://idp.example.com',
  discovery_url: null,
  client_id: 'client-1',
  token_auth: 'client_secret_basic',
  scopes: ['openid', 'profile', 'email'],
  id_token_alg: null,
  user_info: 'optional',
  max_age_seconds: null,
  acr_values: [],
};

/** The stored settings of a connection to a SAML IdP, without certificates. */
export const samlSettings: StoredSamlSettings = {
  ...common,
  idp_entity_id: 'https://idp.example.com/saml',
  sso_url: 'https://idp.example.com/sso',
  sso_binding: 'redirect',
  slo_url: null,
  slo_binding: 'redirect',
  slo_response_url: null,
  certificates: [],
  metadata_cache_seconds: null,
  metadata_url: null,
  metadata_certificates: [],
  signed: 'assertion',
  sign_requests: true,
  allow_idp_initiated: false,
  name_id_format: null,
  sp_entity_id: null,
  clock_skew_seconds: 60,
  authn_contexts: [],
};

/** The columns of a connection beside its type and settings. */
export const head = {
  tenant_id: 'ten_1',
  id: 'con_1',
  slug: 'acme',
  name: 'Acme',
  enabled: true,
  version: 1,
  directory_id: null,
  tested_at: null,
};
