import { algsOf, fitting, readKeys } from '../../../src/protocols/oidc/jwks.rules.js';

const modulus = (bits: number): string => {
  const bytes = Buffer.alloc(Math.ceil(bits / 8), 0xff);
  bytes[0] = 0xff >> (bytes.length * 8 - bits);
  return bytes.toString('base64url');
};
const rsa = (bits = 2048, more: object = {}) => ({ kty: 'RSA', n: modulus(bits), e: 'AQAB', ...more });
const ec = (more: object = {}) => ({ kty: 'EC', crv: 'P-256', x: 'x', y: 'y', ...more });

it.each<[string, Record<string, unknown>, string[]]>([
  ['RSA of 2048 bits', rsa(), ['RS256', 'PS256']],
  ['RSA of 4096 bits', rsa(4096), ['RS256', 'PS256']],
  ['RSA of 2047 bits', rsa(2047), []],
  ['RSA of 4097 bits', rsa(4097), []],
  ['RSA with an exponent of 32 bits', rsa(2048, { e: modulus(32) }), ['RS256', 'PS256']],
  ['RSA with an exponent of 32 bits after zeros', rsa(2048, { e: 'AAAAAP____8' }), ['RS256', 'PS256']],
  ['RSA with an exponent of 33 bits', rsa(2048, { e: modulus(33) }), []],
  ['RSA with an exponent as long as the modulus', rsa(2048, { e: modulus(2048) }), []],
  ['P-256', ec(), ['ES256']],
  ['P-384', ec({ crv: 'P-384' }), []],
  ['Ed25519', { kty: 'OKP', crv: 'Ed25519', x: 'x' }, ['EdDSA']],
  ['X25519', { kty: 'OKP', crv: 'X25519', x: 'x' }, []],
  ['a symmetric key', { kty: 'oct', k: 'k' }, []],
])('gives the algorithms of %s', (_what, jwk, algs) => {
  expect(algsOf(jwk)).toEqual(algs);
});

it.each<[string, object, number]>([
  ['for signatures', ec({ use: 'sig' }), 1],
  ['for encryption', ec({ use: 'enc' }), 0],
  ['that verifies', ec({ key_ops: ['verify'] }), 1],
  ['that only signs', ec({ key_ops: ['sign'] }), 0],
  ['of its own algorithm', ec({ alg: 'ES256' }), 1],
  ['of another algorithm', ec({ alg: 'RS256' }), 0],
  ['with optional members that are null', ec({ use: null, alg: null, kid: null }), 1],
  ['of RSA without an exponent', rsa(2048, { e: undefined }), 0],
  ['of RSA with the exponent 1, which lets anyone sign', rsa(2048, { e: 'AQ' }), 0],
  ['of RSA with the exponent 1 in three bytes', rsa(2048, { e: 'AAAB' }), 0],
  ['of RSA with an even exponent', rsa(2048, { e: 'AQAC' }), 0],
  ['of RSA with an empty exponent', rsa(2048, { e: '' }), 0],
  ['of RSA with the exponent 3', rsa(2048, { e: 'Aw' }), 1],
])('reads a key %s', (_what, jwk, count) => {
  expect(readKeys({ keys: [jwk] })).toHaveLength(count);
});

it('drops private members', () => {
  expect(readKeys({ keys: [ec({ d: 'secret', kid: '1' })] })).toEqual([
    { kid: '1', algs: ['ES256'], jwk: { kty: 'EC', crv: 'P-256', x: 'x', y: 'y' } },
  ]);
});

it('refuses what is not a key set, and more than 100 keys', () => {
  for (const document of [{}, { keys: 'a' }, { keys: Array.from({ length: 101 }, () => ec()) }]) {
    expect(() => readKeys(document)).toThrow(expect.objectContaining({ reason: 'idp_answer_invalid' }));
  }
});

it.each([
  ['with a kid, that key', 'b', ['b']],
  ['without a kid, each key of the algorithm', null, ['a', 'b']],
  ['with an unknown kid, none', 'c', []],
])('finds, %s', (_what, kid, expected) => {
  const keys = readKeys({ keys: [ec({ kid: 'a' }), ec({ kid: 'b' }), rsa(2048, { kid: 'b' })] });
  expect(fitting(keys, 'ES256', kid).map((key) => key.kid)).toEqual(expected);
});
