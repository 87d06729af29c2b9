import type { AuthAddresses } from './addresses.js';
import { certificateFacts } from './saml.rules.js';
import type { OidcServer } from '../../protocols/oidc/discovery.rules.js';
import type { ConnectionBody, IdpLogoutBody } from './bodies.dto.js';
import type { ConnectionRow } from './repository.js';

/** Has the addresses for the administrator of the IdP, and no secret. */
export function connectionShape(row: ConnectionRow, addresses: AuthAddresses): ConnectionBody {
  const { slug } = row;
  const head = {
    id: row.id,
    slug,
    name: row.name,
    enabled: row.enabled,
    version: row.version,
    tested_at: row.tested_at,
    directory_id: row.directory_id,
  };
  const email_trust = row.settings.email_trust ?? 'domain';
  const role_map = Object.fromEntries(row.settings.role_map);
  const told = {
    callback_url: addresses.callback(slug),
    login_url: `${addresses.login}?connection=${slug}`,
    global_token_revocation_url: addresses.globalTokenRevocation(slug),
    created_at: row.created_at,
    updated_at: row.updated_at,
  };
  if (row.type === 'oidc') {
    return {
      ...head,
      type: row.type,
      ...row.settings,
      discovery_url: row.settings.discovery_url ?? null,
      role_map,
      email_trust,
      client_secret_set: row.client_secret_sealed !== null,
      private_key_set: row.private_key_sealed !== null,
      client_keys_url: row.settings.token_auth === 'private_key_jwt' ? addresses.clientKeys(slug) : null,
      signed_out_url: addresses.signedOut,
      backchannel_logout_url: addresses.backchannelLogout(slug),
      frontchannel_logout_url: addresses.frontchannelLogout(slug),
      ...told,
    };
  }
  return {
    ...head,
    type: row.type,
    ...row.settings,
    subject_claim: row.settings.subject_claim ?? null,
    role_map,
    email_trust,
    certificates: row.settings.certificates.map(certificateFacts),
    metadata_certificates: row.settings.metadata_certificates.map(certificateFacts),
    metadata_checked_at: row.settings.metadata_url === null ? null : row.metadata_checked_at,
    metadata_problem: row.metadata_problem,
    entity_id: row.settings.sp_entity_id ?? addresses.metadata(slug),
    sp_metadata_url: addresses.metadata(slug),
    sp_slo_url: addresses.slo(slug),
    ...told,
  };
}

export function offeredLogout({ endSessionEndpoint, logout }: OidcServer): IdpLogoutBody {
  return {
    rp_initiated: endSessionEndpoint !== null,
    back_channel: logout.backChannel,
    front_channel: logout.frontChannel,
    front_channel_session: logout.frontChannelSession,
  };
}
