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

/** The common public exponent. The longest that a key set may name costs twice as much. */
const COMMON_EXPONENT = 'AQAB';
/** The length in base64url of a modulus of 4 096 bits. */
const CHEAP_MODULUS = 683;

/** Reading a key takes longer than verifying with it. A key set is read anew each minute, and its keys with it. */
const ready = new WeakMap<IdpKey, ReadyKey | null>();

/** The keys that a token is tried with: one without `kid` costs no verification with each of a hundred keys. */
const MOST_TRIES = 5;

/** The last slow verification of each tenant that has one. */
const slow = new Map<string, Promise<boolean>>();

/**
 * Returns whether one of the first five of these keys has signed a token. A key that cannot be read has not.
 *
 * @param tenantId whose key set it is: slow verifications of a tenant wait for each other
 */
export async function isTokenSignedBy(tenantId: string, token: SignedToken, keys: readonly IdpKey[]): Promise<boolean> {
  for (const key of keys.slice(0, MOST_TRIES)) {
    const readable = readyKey(key);
    if (readable !== null && (await verifies(tenantId, token, readable))) return true;
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
 * With any other key, in the pool of threads, of which a tenant takes one at a time.
 */
function verifies(
  tenantId: string,
  { text, header: { alg } }: SignedToken,
  { key, isCheap }: ReadyKey,
): Promise<boolean> | boolean {
  const dot = text.lastIndexOf('.');
  const signed = Buffer.from(text.slice(0, dot), 'latin1');
  const signature = Buffer.from(text.slice(dot + 1), 'base64url');
  const hash = alg === 'EdDSA' ? null : 'sha256';
  const input = { key, ...SCHEMES[alg] };
  if (isCheap) return verify(hash, signed, input, signature);
  return inTurn(
    tenantId,
    () =>
      new Promise((resolve) =>
        verify(hash, signed, input, signature, (error, good) => resolve(error === null && good)),
      ),
  );
}

/** Begins a slow verification, which never throws, when the one before it has ended. */
async function inTurn(tenantId: string, work: () => Promise<boolean>): Promise<boolean> {
  const turn = (slow.get(tenantId) ?? Promise.resolve()).then(work);
  slow.set(tenantId, turn);
  const result = await turn;
  if (slow.get(tenantId) === turn) slow.delete(tenantId);
  return result;
}

/** RFC 7518 §3.3 to §3.5, RFC 8037 §3.1. */
const SCHEMES: Readonly<Record<IdTokenAlg, Omit<VerifyKeyObjectInput, 'key'>>> = {
  RS256: { padding: constants.RSA_PKCS1_PADDING },
  PS256: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
  ES256: { dsaEncoding: 'ieee-p1363' },
  EdDSA: {},
};
