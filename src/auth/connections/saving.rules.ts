import { canonicalJson } from '../../base/crypto/chain.js';
import type { ConnectionHead, Typed } from './connection.js';
import type { SealedConnectionSecrets } from './store.js';

type Tested = Typed<Pick<ConnectionHead, 'directory_id'> & SealedConnectionSecrets>;

/**
 * Settings whose change leaves earlier sign-ins valid as a test: they matter after a sign-in, at sign-out, or for reading
 * metadata. Every other setting, also one added later, needs a new test.
 */
const HARMLESS: ReadonlySet<string> = new Set([
  'return_origins',
  'role_map',
  'default_role',
  'jit',
  'slo_url',
  'slo_binding',
  'slo_response_url',
  'metadata_url',
  'metadata_certificates',
  'metadata_cache_seconds',
  'allow_idp_initiated',
  'clock_skew_seconds',
]);

/** A further certificate needs no new test, since earlier signatures are still accepted. The loss of one does. */
export function needsNewTest(before: Tested, after: Tested): boolean {
  if (canonicalJson(substance(before)) !== canonicalJson(substance(after))) return true;
  const kept = certificatesOf(after);
  return [...certificatesOf(before)].some((pem) => !kept.has(pem));
}

function substance({ directory_id, client_secret_sealed, private_key_sealed, settings }: Tested): unknown {
  const matters = Object.entries(settings).filter(([name]) => !HARMLESS.has(name) && name !== 'certificates');
  return { directory_id, client_secret_sealed, private_key_sealed, settings: Object.fromEntries(matters) };
}

function certificatesOf({ type, settings }: Tested): Set<string> {
  return new Set(type === 'saml' ? settings.certificates.map(({ pem }) => pem) : []);
}

type Paired = Typed<Pick<ConnectionHead, 'directory_id'>>;

/**
 * Returns why a change of a connection ends its bindings; null when it does not. Another IdP's subjects are other people. A
 * newly paired directory decides who its subjects are: a binding made by e-mail, or by the former directory, could open the
 * account of a user whom that directory does not know. Without a directory no other source decides.
 */
export function bindingEnd(before: Paired, after: Paired): 'connection_changed' | 'pairing_changed' | null {
  if (idpOf(before) !== idpOf(after)) return 'connection_changed';
  return after.directory_id !== null && after.directory_id !== before.directory_id ? 'pairing_changed' : null;
}

function idpOf({ type, settings }: Paired): string {
  if (type === 'oidc') return settings.issuer;
  return JSON.stringify([settings.idp_entity_id, settings.subject_claim ?? null]);
}
