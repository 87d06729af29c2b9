import type { JWK } from 'jose';
import type { IdTokenAlg } from './oidc-settings.js';
import { OidcRefused } from './oidc-refused.js';
import { isIdpObject, withoutNulls, type IdpObject } from './json.rules.js';

/** A public key of an IdP, with the algorithms that it may verify. */
export interface IdpKey {
  readonly kid: string | null;
  readonly algs: readonly IdTokenAlg[];
  readonly jwk: JWK;
}

const MAX_KEYS = 100;
const MIN_RSA_BITS = 2048;
/** Longer keys are not in use, and each verification would cost too much. */
const MAX_RSA_BITS = 8192;

/**
 * Reads a key set (RFC 7517 §5). Keys for other uses, of other kinds, or too short are left out, and so are private
 * members.
 *
 * @throws {OidcRefused} `idp_answer_invalid` when it is not a key set or has over 100 keys
 */
export function readKeys(document: IdpObject): readonly IdpKey[] {
  const keys = document['keys'];
  if (!Array.isArray(keys)) throw new OidcRefused('idp_answer_invalid', 'The key set has no list of keys.');
  if (keys.length > MAX_KEYS) {
    throw new OidcRefused('idp_answer_invalid', `The key set has over ${MAX_KEYS} keys.`);
  }
  return keys.flatMap((key: unknown) => (isIdpObject(key) ? readKey(key) : []));
}

/**
 * Returns the keys that may have made a signature: those for the algorithm, and of that `kid` where the token has one.
 */
export function fitting(keys: readonly IdpKey[], alg: IdTokenAlg, kid: string | null): readonly IdpKey[] {
  return keys.filter((key) => key.algs.includes(alg) && (kid === null || key.kid === kid));
}

/**
 * Returns the algorithms that a public JWK can verify, by its type (RFC 8725 §3.1, §3.5); empty: none that is accepted.
 */
export function algsOf(jwk: IdpObject): readonly IdTokenAlg[] {
  const { kty, crv, n, x, y } = jwk;
  if (kty === 'RSA') {
    const bits = typeof n === 'string' ? rsaBits(n) : 0;
    return bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS ? ['RS256', 'PS256'] : [];
  }
  if (kty === 'EC') return crv === 'P-256' && typeof x === 'string' && typeof y === 'string' ? ['ES256'] : [];
  if (kty === 'OKP') return crv === 'Ed25519' && typeof x === 'string' ? ['EdDSA'] : [];
  return [];
}

function readKey(document: IdpObject): IdpKey[] {
  // An optional member that is null is absent.
  const key = withoutNulls(document);
  const { kty, use, key_ops: ops, alg, kid, n, e, crv, x, y } = key;
  if (use !== undefined && use !== 'sig') return [];
  if (ops !== undefined && !(Array.isArray(ops) && ops.includes('verify'))) return [];
  if (kty === 'RSA' && !isExponent(e)) return [];
  const algs = algsOf(key).filter((one) => alg === undefined || alg === one);
  if (algs.length === 0) return [];
  const jwk = (kty === 'RSA' ? { kty, n, e } : kty === 'EC' ? { kty, crv, x, y } : { kty, crv, x }) as JWK;
  return [{ kid: typeof kid === 'string' ? kid : null, algs, jwk }];
}

/** An odd number of three or more (RFC 8017 §3.1). With the exponent 1 every text has a signature that anyone can write. */
function isExponent(e: unknown): boolean {
  if (typeof e !== 'string') return false;
  const bytes = Buffer.from(e, 'base64url');
  const last = bytes.at(-1) ?? 0;
  return last % 2 === 1 && (last > 1 || bytes.subarray(0, -1).some((byte) => byte > 0));
}

function rsaBits(modulus: string): number {
  const hex = Buffer.from(modulus, 'base64url').toString('hex').replace(/^0+/, '');
  return hex === '' ? 0 : hex.length * 4 - Math.clz32(parseInt(hex[0]!, 16)) + 28;
}
