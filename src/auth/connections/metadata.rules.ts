import type { IdpMetadata } from '../../protocols/saml/metadata.rules.js';
import type { IdpSettings, StoredSamlSettings } from './connection.js';
import { pinned, sameCertificate } from './saml.rules.js';
import { browserAddressProblem, type InstallationPermits } from './settings.rules.js';

const MAX_ENTITY_ID = 1024; // SAML Core §8.3.6
const MAX_ADDRESS = 2000; // the limit of the field of an administrator

/** Maps metadata to settings, or returns why it cannot be used. Certificates of `before` keep their date. */
export function idpFromMetadata(
  metadata: IdpMetadata,
  before: IdpSettings | null,
  now: Date,
  { allowPrivate }: InstallationPermits,
): { idp: IdpSettings } | { problem: string } {
  for (const [what, url] of [
    ['SingleSignOnService', metadata.ssoUrl],
    ['SingleLogoutService', metadata.sloUrl],
    ['SingleLogoutService (ResponseLocation)', metadata.sloResponseUrl],
  ] as const) {
    const problem = url === null ? null : browserAddressProblem(url, allowPrivate);
    if (url !== null && url.length > MAX_ADDRESS) return { problem: `the address of the ${what} is too long` };
    if (problem !== null) return { problem: `the address of the ${what} ${problem}` };
  }
  if (metadata.entityId.length > MAX_ENTITY_ID) return { problem: 'the entity id is longer than 1024 characters' };
  const result = pinned(metadata.certificates, before?.certificates ?? [], now);
  if ('problem' in result) return result;
  return {
    idp: {
      idp_entity_id: metadata.entityId,
      sso_url: metadata.ssoUrl,
      sso_binding: metadata.ssoBinding,
      slo_url: metadata.sloUrl,
      slo_binding: metadata.sloBinding ?? 'redirect',
      slo_response_url: metadata.sloResponseUrl,
      certificates: result.certificates,
      metadata_cache_seconds: metadata.cacheSeconds,
    },
  };
}

/**
 * Returns why an administrator has to confirm refreshed metadata; null when no confirmation is needed.
 *
 * Another IdP, or none of the known keys, is how a takeover of the metadata's address would look. Signed metadata cannot come
 * from such an address, so its new keys need no confirmation. Another IdP does: a federation signs the metadata of all its
 * members.
 */
export function needsConfirmation(before: StoredSamlSettings, after: IdpSettings): string | null {
  if (after.idp_entity_id !== before.idp_entity_id) {
    return `the metadata is of ${after.idp_entity_id.slice(0, 200)}, and not of ${before.idp_entity_id} any more`;
  }
  if (before.metadata_certificates.length > 0) return null;
  const known = before.certificates.some(({ pem }) => after.certificates.some((one) => sameCertificate(one.pem, pem)));
  return known ? null : 'the metadata has none of the known certificates';
}
