import { generateKeyPairSync } from 'node:crypto';
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
