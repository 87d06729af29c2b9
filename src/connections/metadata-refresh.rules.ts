import { browserAddressProblem } from './address.rules.js';
import { pinned, sameCertificate } from './certificates.rules.js';
import type { IdpMetadata } from '../saml/metadata.rules.js';
import type { Allowance } from './common-settings.rules.js';
import type { IdpSettings, SamlSettings } from './connection.settings.js';

const MAX_ENTITY_ID = 1024; // SAML Core §8.3.6
const MAX_ADDRESS = 2000; // as where an admin writes it

/** The metadata as settings, or why it cannot be used. In: what was pinned before, now. */
export function idpFromMetadata(
  metadata: IdpMetadata,
  before: IdpSettings | null,
  now: Date,
  { allowPrivate }: Allowance,
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
 * Why an admin has to look before a refresh takes this over, or null: it is another IdP, or none of the keys
 * that we know is left. Both are how somebody who took over the address of the metadata would begin.
 *
 * Metadata that had to be signed, and was, is not from such an address: its keys need no admin. Another IdP does all the
 * same, since a federation signs the metadata of all its members.
 */
export function needsConfirmation(before: SamlSettings, after: IdpSettings): string | null {
  if (after.idp_entity_id !== before.idp_entity_id) {
    return `the metadata is of ${after.idp_entity_id.slice(0, 200)}, and not of ${before.idp_entity_id} any more`;
  }
  if (before.metadata_certificates.length > 0) return null;
  const known = before.certificates.some(({ pem }) => after.certificates.some((one) => sameCertificate(one.pem, pem)));
  return known ? null : 'none of the known certificates is in the metadata any more';
}
