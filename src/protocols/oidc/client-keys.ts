import { createPrivateKey, createPublicKey, sign, verify, type JsonWebKey } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK } from 'jose';
import { algsOf } from './jwks.rules.js';
import { isIdpObject } from './json.rules.js';

/** Algorithms of our client assertions (RFC 7523 §2.2). */
type ClientKeyAlg = 'ES256' | 'RS256';

const PRIVATE_PARTS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['d', 'p', 'q', 'dp', 'dq', 'qi'],
  EC: ['d'],
  OKP: ['d'],
};
const PUBLIC_PARTS: Readonly<Record<string, readonly string[]>> = {
  RSA: ['n', 'e'],
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
};

/** Makes a private key for `private_key_jwt`. Its `kid` is its thumbprint (RFC 7638). */
export async function newClientKey(alg: ClientKeyAlg = 'ES256'): Promise<JWK> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true, modulusLength: 2048 });
  const jwk = await exportJWK(privateKey);
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: 'sig' };
}

/**
 * Returns the public part of a private key. Members are named one by one, so that an unknown one is never published.
 */
export function publicPart(jwk: Readonly<Record<string, unknown>>): JWK {
  const names = ['kty', ...(PUBLIC_PARTS[String(jwk['kty'])] ?? []), 'kid', 'alg'];
  const known = names.filter((name) => jwk[name] !== undefined).map((name) => [name, jwk[name]]);
  return { ...(Object.fromEntries(known) as JWK), use: 'sig' };
}

/**
 * Returns why a value cannot be the private key for `private_key_jwt`; null: it can. Accepted are RSA of 2048 to 4096
 * bits, EC on P-256, and Ed25519, each with `kid` and `alg`.
 */
export function clientKeyProblem(jwk: unknown): string | null {
  if (!isIdpObject(jwk)) return 'must be a private key as a JWK';
  const parts = PRIVATE_PARTS[String(jwk['kty'])];
  const algs = algsOf(jwk);
  if (parts === undefined || algs.length === 0) return 'must be RSA of 2048 to 4096 bits, EC on P-256, or Ed25519';
  if (!parts.every((part) => typeof jwk[part] === 'string')) return 'must hold the private part of the key';
  const { kid, alg, use, key_ops: ops } = jwk;
  if (typeof kid !== 'string' || !/^[\x21-\x7e]{1,128}$/.test(kid)) return 'must have a kid of 1 to 128 characters';
  if (typeof alg !== 'string' || !algs.some((one) => one === alg))
    return `must have one of these as alg: ${algs.join(', ')}`;
  if (use !== undefined && use !== 'sig') return 'must be a key for signatures (use)';
  if (ops !== undefined && !(Array.isArray(ops) && ops.includes('sign')))
    return 'must be a key for signatures (key_ops)';
  return isPair(jwk) ? null : 'cannot be read as a key, or its public part is not of its private part';
}

function isPair(jwk: Record<string, unknown>): boolean {
  const probe = Buffer.from('probe');
  const hash = jwk['kty'] === 'OKP' ? null : 'sha256';
  try {
    const privateKey = createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' });
    const publicKey = createPublicKey({ key: publicPart(jwk) as JsonWebKey, format: 'jwk' });
    return verify(hash, probe, publicKey, sign(hash, probe, privateKey));
  } catch {
    // The parser's message is not shown: it could quote the key.
    return false;
  }
}
