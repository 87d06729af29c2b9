import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { base64Of, certificateProblem, pemOf } from '../../../src/protocols/saml/certificate.rules.js';
import { long } from '../../support/rounds.js';
import { newKey } from './support/keys.js';

describe('certificateProblem', () => {
  long('takes RSA from 2048 bits and the NIST curves from P-256', async () => {
    const keys = await Promise.all([
      newKey('rsa'),
      newKey('p256', { type: 'ec', curve: 'P-256' }),
      newKey('p384', { type: 'ec', curve: 'P-384' }),
      newKey('p521', { type: 'ec', curve: 'P-521' }),
    ]);
    expect(keys.map(({ certificate }) => certificateProblem(certificate))).toEqual([null, null, null, null]);
    const { certificate } = keys[0];
    expect(certificateProblem(pemOf(base64Of(certificate))!)).toBeNull();
    expect(certificateProblem(certificate + certificate)).toContain('one certificate');
  });

  long('names the fault of others', async () => {
    const weak = await newKey('weak', { bits: 1024 });
    expect(certificateProblem(weak.certificate)).toContain('less than 2048 bits');
    expect(certificateProblem(weak.privateKey)).toContain('one certificate in PEM');
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    expect(certificateProblem(publicKey.export({ type: 'spki', format: 'pem' }).toString())).toContain(
      'one certificate in PEM',
    );
    expect(certificateProblem('')).toContain('one certificate in PEM');
    expect(certificateProblem(pemOf('AAAA')!)).toContain('not a certificate');
    expect(certificateProblem(`-----BEGIN CERTIFICATE-----${'A'.repeat(20_000)}`)).toContain('too long');
    expect(pemOf('not base64!')).toBeNull();
    expect(pemOf('')).toBeNull();
  });
});

it.each<[string, number, number, string | null]>([
  ['RSA of 8192 bits', 1024, 4, null],
  ['RSA of more', 1025, 4, 'has an RSA key of over 8192 bits'],
  ['an exponent of over 32 bits', 256, 5, 'has an RSA key with an exponent of over 32 bits'],
  ['an exponent as long as the modulus', 384, 384, 'has an RSA key with an exponent of over 32 bits'],
])('certificateProblem judges what a verification costs: %s', (_what, modulus, exponent, problem) => {
  expect(certificateProblem(certificateOf(modulus, exponent))).toBe(problem);
});

/** A certificate with an RSA key of this number of bytes, and nothing else in it that a reader of its key needs. */
function certificateOf(modulus: number, exponent: number): string {
  const odd = (bytes: number): string => Buffer.alloc(bytes, 0xff).toString('base64url');
  const key = createPublicKey({ key: { kty: 'RSA', n: odd(modulus), e: odd(exponent) }, format: 'jwk' });
  const tlv = (tag: number, ...parts: Buffer[]): Buffer => {
    const body = Buffer.concat(parts);
    return Buffer.concat([Buffer.from([tag, 0x82, body.length >> 8, body.length & 0xff]), body]);
  };
  const algorithm = tlv(0x30, Buffer.from('06092a864886f70d01010b0500', 'hex'));
  const day = tlv(0x17, Buffer.from('260101000000Z'));
  const name = tlv(0x30);
  const spki = key.export({ type: 'spki', format: 'der' });
  const facts = tlv(0x30, tlv(0x02, Buffer.from([1])), algorithm, name, tlv(0x30, day, day), name, spki);
  return pemOf(tlv(0x30, facts, algorithm, tlv(0x03, Buffer.alloc(257))).toString('base64'))!;
}

describe('pemOf', () => {
  it('reads a certificate in base64, in PEM, and in PEM on one line', async () => {
    const { certificate } = await newKey('rsa');
    const oneLine = certificate.replace(/\s+/g, ' ');
    const read = [base64Of(certificate), certificate, oneLine].map((text) => pemOf(text)?.trim());
    expect(read).toEqual(Array(3).fill(certificate.trim()));
    expect(pemOf(certificate + certificate)).toBeNull();
    expect(pemOf('-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----')).toBeNull();
  });
});
