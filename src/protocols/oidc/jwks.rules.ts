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
/** A verification with a longer key costs the service more than an IdP gains by it. */
const MAX_RSA_BITS = 4096;
/** An exponent as long as the modulus makes a verification a hundred times as slow. */
const MAX_EXPONENT_BITS = 32;

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
  const { kty, crv, n, e, x, y } = jwk;
  if (kty === 'RSA') {
    const bits = bitsOf(n);
    return bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS && isExponent(e) ? ['RS256', 'PS256'] : [];
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
  const algs = algsOf(key).filter((one) => alg === undefined || alg === one);
  if (algs.length === 0) return [];
  const jwk = (kty === 'RSA' ? { kty, n, e } : kty === 'EC' ? { kty, crv, x, y } : { kty, crv, x }) as JWK;
  return [{ kid: typeof kid === 'string' ? kid : null, algs, jwk }];
}

/**
 * An odd number of three or more (RFC 8017 §3.1), of at most 32 bits. With the exponent 1 every text has a signature that
 * anyone can write.
 */
function isExponent(e: unknown): boolean {
  const bits = bitsOf(e);
  const isOdd = typeof e === 'string' && (Buffer.from(e, 'base64url').at(-1) ?? 0) % 2 === 1;
  return isOdd && bits > 1 && bits <= MAX_EXPONENT_BITS;
}

/** Returns the length of a number in base64url, without leading zeros; 0 for another value. */
function bitsOf(number: unknown): number {
  if (typeof number !== 'string') return 0;
  const hex = Buffer.from(number, 'base64url').toString('hex').replace(/^0+/, '');
  return hex === '' ? 0 : hex.length * 4 - Math.clz32(parseInt(hex[0]!, 16)) + 28;
}
