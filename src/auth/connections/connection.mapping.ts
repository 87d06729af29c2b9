import type { Connection } from './connection.js';
import type { ConnectionHead, Typed } from './connection.settings.js';

/** What is not in the settings: opened secrets, and our default entity id. */
export interface Opened {
  clientSecret: string | null;
  privateKey: Readonly<Record<string, unknown>> | null;
  /** The address of our metadata. */
  metadataAddress: string;
}

/** Maps the row of a connection to the form that the protocols use. */
export function connectionOf(row: Typed<ConnectionHead>, opened: Opened): Connection {
  const { settings } = row;
  const common = {
    tenantId: row.tenant_id,
    id: row.id,
    slug: row.slug,
    name: row.name,
    enabled: row.enabled,
    version: row.version,
    testedAt: row.tested_at,
    directoryId: row.directory_id,
    linkClaim: settings.link_claim,
    claimMap: settings.claim_map,
    emailTrust: settings.email_trust ?? ('domain' as const),
    roleMap: settings.role_map,
    jit: settings.jit,
    defaultRole: settings.default_role,
    returnOrigins: settings.return_origins,
  };
  if (row.type === 'oidc') {
    const oidc = row.settings;
    return {
      ...common,
      type: 'oidc',
      issuer: oidc.issuer,
      discoveryUrl: oidc.discovery_url ?? null,
      clientId: oidc.client_id,
      tokenAuth: oidc.token_auth,
      clientSecret: opened.clientSecret,
      privateKey: opened.privateKey,
      scopes: oidc.scopes,
      idTokenAlg: oidc.id_token_alg,
      userInfo: oidc.user_info,
      maxAgeSeconds: oidc.max_age_seconds,
      acrValues: oidc.acr_values,
    };
  }
  const saml = row.settings;
  return {
    ...common,
    type: 'saml',
    idpEntityId: saml.idp_entity_id,
    ssoUrl: saml.sso_url,
    ssoBinding: saml.sso_binding,
    sloUrl: saml.slo_url,
    sloBinding: saml.slo_binding,
    sloResponseUrl: saml.slo_response_url,
    certificates: saml.certificates.map(({ pem }) => pem),
    signed: saml.signed,
    signRequests: saml.sign_requests,
    allowIdpInitiated: saml.allow_idp_initiated,
    nameIdFormat: saml.name_id_format,
    subjectClaim: saml.subject_claim ?? null,
    spEntityId: saml.sp_entity_id ?? opened.metadataAddress,
    clockSkewSeconds: saml.clock_skew_seconds,
    authnContexts: saml.authn_contexts,
  };
}
