import {
  constants,
  createPublicKey,
  verify,
  type JsonWebKey,
  type KeyObject,
  type VerifyKeyObjectInput,
} from 'node:crypto';
import type { IdTokenAlg } from './oidc-settings.js';
import type { IdpKey } from './jwks.rules.js';
import type { SignedToken } from './jwt.rules.js';

/** A key that is ready for use, and whether it may be used in the event loop. */
interface ReadyKey {
  readonly key: KeyObject;
  readonly isCheap: boolean;
}

/** The common public exponent. A key set may name one as long as the modulus, which costs as much as a signature. */
const COMMON_EXPONENT = 'AQAB';
/** The length in base64url of a modulus of 4 096 bits. */
const CHEAP_MODULUS = 683;

/** Reading a key takes longer than verifying with it. A key set is read anew each minute, and its keys with it. */
const ready = new WeakMap<IdpKey, ReadyKey | null>();

/** Whether one of these keys has signed a token. A key that cannot be read has not. */
export async function isTokenSignedBy(token: SignedToken, keys: readonly IdpKey[]): Promise<boolean> {
  for (const key of keys) {
    const readable = readyKey(key);
    if (readable !== null && (await verifies(token, readable))) return true;
  }
  return false;
}

function readyKey(key: IdpKey): ReadyKey | null {
  const known = ready.get(key);
  if (known !== undefined) return known;
  const made = read(key);
  ready.set(key, made);
  return made;
}

function read({ jwk }: IdpKey): ReadyKey | null {
  try {
    const { kty, n, e } = jwk;
    const isCheap = kty !== 'RSA' || (e === COMMON_EXPONENT && (n?.length ?? 0) <= CHEAP_MODULUS);
    return { key: createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }), isCheap };
  } catch {
    // The key set is foreign text: a point may be off its curve.
    return null;
  }
}

/**
 * Verifies in the event loop where that takes 25 microseconds: the way to a thread and back alone costs about as much.
 * With any other key, in the pool of threads.
 */
function verifies({ text, header: { alg } }: SignedToken, { key, isCheap }: ReadyKey): Promise<boolean> | boolean {
  const dot = text.lastIndexOf('.');
  const signed = Buffer.from(text.slice(0, dot), 'latin1');
  const signature = Buffer.from(text.slice(dot + 1), 'base64url');
  const hash = alg === 'EdDSA' ? null : 'sha256';
  const input = { key, ...SCHEMES[alg] };
  if (isCheap) return verify(hash, signed, input, signature);
  return new Promise((resolve) =>
    verify(hash, signed, input, signature, (error, good) => resolve(error === null && good)),
  );
}

/** RFC 7518 §3.3 to §3.5, RFC 8037 §3.1. */
const SCHEMES: Readonly<Record<IdTokenAlg, Omit<VerifyKeyObjectInput, 'key'>>> = {
  RS256: { padding: constants.RSA_PKCS1_PADDING },
  PS256: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
  ES256: { dsaEncoding: 'ieee-p1363' },
  EdDSA: {},
};
