import { generateKeyPairSync } from 'node:crypto';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import { clientKeyProblem, newClientKey, publicPart } from '../../../src/protocols/oidc/client-keys.js';
import { long } from '../../support/rounds.js';

long.each(['ES256', 'RS256'] as const)(
  'makes a key (%s) that is valid, without a secret in its public part',
  async (alg) => {
    const key = await newClientKey(alg);
    expect(key).toMatchObject({ alg, use: 'sig', kid: expect.stringMatching(/^[\w-]{43}$/) });
    expect(clientKeyProblem(key)).toBeNull();
    const known = publicPart({ ...key, oth: [{ r: 'x' }], secret: 'x', key_ops: ['sign'] });
    const names =
      alg === 'ES256' ? ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'] : ['alg', 'e', 'kid', 'kty', 'n', 'use'];
    expect(Object.keys(known).sort()).toEqual(names);
    expect((await newClientKey(alg)).kid).not.toBe(key.kid);
  },
);

long('accepts Ed25519 and PS256', async () => {
  const { privateKey } = await generateKeyPair('EdDSA', { extractable: true });
  expect(clientKeyProblem({ ...(await exportJWK(privateKey)), kid: 'k', alg: 'EdDSA' })).toBeNull();
  expect(clientKeyProblem({ ...(await newClientKey('RS256')), alg: 'PS256' })).toBeNull();
});

describe('a key that an admin brings', () => {
  let ec: JWK;
  let rsa: JWK;
  beforeAll(async () => {
    ec = await newClientKey('ES256');
    rsa = await newClientKey('RS256');
  });
  afterEach(() => expect([clientKeyProblem(ec), clientKeyProblem(rsa)]).toEqual([null, null]));

  const small = (): JWK => generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ format: 'jwk' });
  const p384 = (): JWK => generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'jwk' });

  it.each<[string, () => unknown, RegExp]>([
    ['nothing', () => null, /JWK/],
    ['a text', () => '{}', /JWK/],
    ['a list', () => [ec], /JWK/],
    ['an empty object', () => ({}), /RSA/],
    ['a shared secret', () => ({ kty: 'oct', k: 'c2VjcmV0', kid: 'k', alg: 'HS256' }), /RSA/],
    ['RSA of 1024 bits', () => ({ ...small(), kid: 'k', alg: 'RS256' }), /2048/],
    ['P-384', () => ({ ...p384(), kid: 'k', alg: 'ES384' }), /P-256/],
    ['a public key', () => publicPart({ ...ec }), /private part/],
    ['no kid', () => ({ ...ec, kid: undefined }), /kid/],
    ['a kid with a line break', () => ({ ...ec, kid: 'a\nb' }), /kid/],
    ['no alg', () => ({ ...ec, alg: undefined }), /alg: ES256/],
    ['the alg of another kind', () => ({ ...ec, alg: 'RS256' }), /alg: ES256/],
    ['use enc', () => ({ ...ec, use: 'enc' }), /use/],
    ['key_ops of another use', () => ({ ...ec, key_ops: ['decrypt'] }), /key_ops/],
    ['a public part of another key', () => ({ ...rsa, n: ec.x }), /2048/],
    ['a private part that is none', () => ({ ...ec, d: 'AA' }), /cannot be read/],
    ['a point that is not on the curve', () => ({ ...ec, y: ec.x }), /cannot be read/],
    ['__proto__ as its kind', () => ({ ...ec, kty: '__proto__' }), /RSA/],
  ])('%s: refused', (_name, make, problem) => {
    const key = make();
    expect(clientKeyProblem(key)).toMatch(problem);
  });
});
