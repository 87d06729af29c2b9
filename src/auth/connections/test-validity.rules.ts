import { canonicalJson } from '../../base/crypto/chain.js';
import type { SealedConnectionSecrets } from './connection-secrets.js';
import type { ConnectionHead, Typed } from './connection.settings.js';

type Tested = Typed<Pick<ConnectionHead, 'directory_id'> & SealedConnectionSecrets>;

/**
 * Settings whose change leaves earlier sign-ins valid as a test: they matter after a sign-in, at sign-out, or for
 * reading metadata. Every other setting, also one added later, needs a new test.
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

/**
 * Whether a change of a connection makes a new test necessary. A further certificate does not, since earlier signatures
 * are still accepted. The loss of one does.
 */
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
