import { compactVerify, errors, importJWK, type CryptoKey } from 'jose';
import type { IdTokenAlg } from './oidc-settings.js';
import type { IdpKey } from './jwks.rules.js';
import type { SignedToken } from './jwt.rules.js';

/** Whether one of these keys has signed a token. A key that cannot be imported has not. */
export async function isSignedBy(token: SignedToken, keys: readonly IdpKey[]): Promise<boolean> {
  const { alg } = token.header;
  for (const key of keys) {
    const readable = await imported(key, alg);
    if (readable !== null && (await verifies(token, readable))) return true;
  }
  return false;
}

async function imported({ jwk }: IdpKey, alg: IdTokenAlg): Promise<CryptoKey | null> {
  // The key set is foreign text: a point may be off its curve.
  const key = await importJWK(jwk, alg).catch(() => null);
  return key === null || key instanceof Uint8Array ? null : key;
}

async function verifies(token: SignedToken, key: CryptoKey): Promise<boolean> {
  try {
    await compactVerify(token.text, key, { algorithms: [token.header.alg] });
    return true;
  } catch (error) {
    if (error instanceof errors.JOSEError) return false;
    throw error;
  }
}
