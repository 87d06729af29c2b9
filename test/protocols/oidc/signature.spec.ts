import { createHook } from 'node:async_hooks';
import { generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import type { IdpKey } from '../../../src/protocols/oidc/jwks.rules.js';
import type { SignedToken } from '../../../src/protocols/oidc/jwt.rules.js';
import { isTokenSignedBy } from '../../../src/protocols/oidc/signature.js';
import { long } from '../../support/rounds.js';

const pairOf = (options: { publicExponent?: number } = {}) => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048, ...options });
  const jwk = publicKey.export({ format: 'jwk' }) as IdpKey['jwk'];
  return { privateKey, key: { kid: null, algs: ['RS256'], jwk } satisfies IdpKey };
};
const signed = (privateKey: KeyObject): SignedToken => {
  const text = 'e30.e30';
  const signature = sign('sha256', Buffer.from(text), privateKey).toString('base64url');
  return { text: `${text}.${signature}`, header: { alg: 'RS256', kid: null, typ: null }, claims: {} };
};

it('tries a token with five keys', async () => {
  const { privateKey, key } = pairOf();
  const other = { ...key, jwk: { ...key.jwk, n: key.jwk.n!.replace(/^./, (first) => (first === 'z' ? 'y' : 'z')) } };
  const token = signed(privateKey);
  expect(await isTokenSignedBy('ten_a', token, [...Array<IdpKey>(4).fill(other), key])).toBe(true);
  expect(await isTokenSignedBy('ten_a', token, [...Array<IdpKey>(5).fill(other), key])).toBe(false);
});

long('makes one slow verification of a tenant at a time, beside those of other tenants', async () => {
  // Another exponent than the common one is not verified in the event loop.
  const { privateKey, key } = pairOf({ publicExponent: 3 });
  const token = signed(privateKey);
  const running = new Set<number>();
  let most = 0;
  const hook = createHook({
    init: (id, type) => {
      if (type === 'SIGNREQUEST') most = Math.max(most, running.add(id).size);
    },
    before: (id) => running.delete(id),
  }).enable();
  try {
    const verify = (tenant: string) => Array.from({ length: 8 }, () => isTokenSignedBy(tenant, token, [key]));
    expect(await Promise.all(verify('ten_a'))).toEqual(Array(8).fill(true));
    expect(most).toBe(1);
    expect(await Promise.all([...verify('ten_a'), ...verify('ten_b')])).toEqual(Array(16).fill(true));
    expect(most).toBe(2);
  } finally {
    hook.disable();
  }
});
