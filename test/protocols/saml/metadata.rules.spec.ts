import { X509Certificate } from 'node:crypto';
import fs from 'node:fs';
import { MetadataProblem, readIdpMetadata } from '../../../src/protocols/saml/metadata.rules.js';
import { base64Of } from '../../../src/protocols/saml/certificate.rules.js';
import { newKey } from './support/keys.js';

const now = new Date('2030-01-01T00:00:00Z');
const file = (name: string) => fs.readFileSync(new URL(`./metadata/${name}.xml`, import.meta.url), 'utf8');
const subjects = (certificates: string[]) => certificates.map((pem) => new X509Certificate(pem).subject);

function problem(xml: string, entityId?: string, at = now): string {
  try {
    readIdpMetadata(xml, entityId === undefined ? { now: at } : { now: at, entityId });
    return 'read';
  } catch (error) {
    if (error instanceof MetadataProblem) return error.message;
    throw error;
  }
}

describe('metadata of IdPs', () => {
  it.each([
    [
      'okta',
      'http://www.okta.com/exk1example',
      ['redirect', 'https://acme.okta.example/app/bridge/exk1example/sso/saml'],
      [null, null],
      ['CN=okta'],
    ],
    [
      'entra',
      'https://sts.windows.example/00000000-0000-4000-8000-000000000001/',
      ['redirect', 'https://login.microsoft.example/00000000-0000-4000-8000-000000000001/saml2'],
      ['redirect', 'https://login.microsoft.example/00000000-0000-4000-8000-000000000001/saml2'],
      ['CN=entra1', 'CN=entra2'],
    ],
    [
      'adfs',
      'http://adfs.example.com/adfs/services/trust',
      ['redirect', 'https://adfs.example.com/adfs/ls/'],
      ['redirect', 'https://adfs.example.com/adfs/ls/'],
      ['CN=adfs-sign'],
    ],
    [
      'keycloak',
      'https://keycloak.example.com/realms/acme',
      ['redirect', 'https://keycloak.example.com/realms/acme/protocol/saml'],
      ['redirect', 'https://keycloak.example.com/realms/acme/protocol/saml'],
      ['CN=keycloak'],
    ],
    [
      'google',
      'https://accounts.google.example/o/saml2?idpid=C0example',
      ['redirect', 'https://accounts.google.example/o/saml2/idp?idpid=C0example'],
      [null, null],
      ['CN=google', 'CN=google2'],
    ],
    [
      'simplesamlphp',
      'https://ssp.example.edu/simplesaml/saml2/idp/metadata.php',
      ['redirect', 'https://ssp.example.edu/simplesaml/saml2/idp/SSOService.php'],
      ['redirect', 'https://ssp.example.edu/simplesaml/saml2/idp/SingleLogoutService.php'],
      ['CN=ssp'],
    ],
  ] as const)('%s', (name, entityId, [ssoBinding, ssoUrl], [sloBinding, sloUrl], certificates) => {
    const read = readIdpMetadata(file(name), { now });
    expect({ ...read, certificates: subjects(read.certificates) }).toEqual({
      cacheSeconds: null,
      entityId,
      ssoUrl,
      ssoBinding,
      sloUrl,
      sloBinding,
      certificates,
      sloResponseUrl: null,
      validUntil: name === 'google' ? new Date('2045-09-18T10:00:00Z') : null,
    });
    expect(readIdpMetadata(file(name), { now, entityId })).toEqual(read);
  });

  it('reads the address for answers to a logout, and refuses an invalid one', () => {
    const where = (value: string) =>
      file('entra').replaceAll(/(<(?:\w+:)?SingleLogoutService )/g, `$1ResponseLocation="${value}" `);
    const read = readIdpMetadata(where('https://idp.example.com/answers'), { now });
    expect([read.sloResponseUrl, read.sloUrl]).toEqual([
      'https://idp.example.com/answers',
      readIdpMetadata(file('entra'), { now }).sloUrl,
    ]);
    for (const bad of ['', 'javascript:alert(1)', '/answers']) {
      expect(() => readIdpMetadata(where(bad), { now })).toThrow('The ResponseLocation of a SingleLogoutService');
    }
  });

  it('reads a certificate with the lines of PEM', () => {
    const inPem = file('okta').replace(/(<ds:X509Certificate>)([^<]+)/, `$1\n${PEM[0]}\n$2\n${PEM[1]}\n`);
    expect(readIdpMetadata(inPem, { now }).certificates).toEqual(readIdpMetadata(file('okta'), { now }).certificates);
  });

  it('needs the name of the IdP in a federation', () => {
    const xml = file('federation');
    const two = readIdpMetadata(xml, { now, entityId: 'https://idp.two.example.edu' });
    expect(subjects(two.certificates)).toEqual(['CN=fed2']);
    expect([two.ssoBinding, two.validUntil]).toEqual(['post', new Date('2044-01-01T00:00:00Z')]);
    expect(problem(xml)).toContain('describes 2 identity providers');
    expect(problem(xml, 'https://sp.example.edu')).toContain('does not describe https://sp.example.edu');
    expect(problem(xml, 'https://idp.one.example.edu', new Date('2045-01-01T00:00:00Z'))).toContain('has expired');
  });
});

const PEM = ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----'];

describe('metadata that cannot be used', () => {
  it.each<[string, (xml: string) => string, string]>([
    ['a document type', (xml) => `<!DOCTYPE x>${xml}`, 'document type'],
    ['something else', () => '<rss/>', 'not SAML metadata'],
    ['an HTML page', () => '\n<!DOCTYPE html><html><head><meta charset=utf-8></head></html>', 'is an HTML page'],
    ['a page of XHTML', () => '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>', 'is an HTML page'],
    ['no XML', () => 'hello', 'cannot be read'],
    ['nothing', () => '', 'cannot be read'],
    ['too much', (xml) => `${xml}<!--${'x'.repeat(1024 * 1024)}-->`, 'too large'],
    [
      'a service provider',
      (xml) => xml.replaceAll('IDPSSODescriptor', 'SPSSODescriptor'),
      'no SAML 2.0 identity provider',
    ],
    ['SAML 1.1 alone', (xml) => xml.replace(/SAML:2.0:protocol/, 'SAML:1.1:protocol'), 'no SAML 2.0 identity provider'],
    ['another namespace', (xml) => xml.replace('SAML:2.0:metadata', 'SAML:9.0:metadata'), 'not SAML metadata'],
    ['no binding of ours', (xml) => xml.replace(/HTTP-(POST|Redirect)/g, 'SOAP'), 'no sign-in by HTTP-Redirect'],
    ['a dangerous address', (xml) => xml.replace(/https:\/\/acme/g, 'javascript://acme'), 'not an http(s) address'],
    ['no certificate', (xml) => xml.replace(/<md:KeyDescriptor.*<\/md:KeyDescriptor>/s, ''), 'names no certificate'],
    ['encryption alone', (xml) => xml.replace('use="signing"', 'use="encryption"'), 'names no certificate'],
    [
      'a certificate that is none',
      (xml) => xml.replace(/(<ds:X509Certificate>)[^<]+/, '$1AAAA'),
      'not a certificate that can be read',
    ],
    [
      'two certificates in one element',
      (xml) => xml.replace(/(<ds:X509Certificate>)([^<]+)/, `$1${PEM[0]}$2${PEM[1]}${PEM[0]}$2${PEM[1]}`),
      'not base64',
    ],
    ['a certificate with other characters', (xml) => xml.replace('<ds:X509Certificate>', '$&%'), 'not base64'],
    ['expired', (xml) => xml.replace('entityID', 'validUntil="2029-12-31T23:59:59Z" entityID'), 'has expired'],
    [
      'a validUntil without a zone',
      (xml) => xml.replace('entityID', 'validUntil="2040-12-31T23:59:59" entityID'),
      'not a time',
    ],
  ])('%s', (_name, change, words) => {
    expect(problem(file('okta'))).toBe('read');
    expect(problem(change(file('okta')))).toContain(words);
    expect(problem(file('okta'))).toBe('read');
  });

  it('has a weak certificate', async () => {
    const weak = await newKey('weak', { bits: 1024 });
    const xml = file('okta').replace(/(<ds:X509Certificate>)[^<]+/, `$1${base64Of(weak.certificate)}`);
    expect(problem(xml)).toContain('less than 2048 bits');
    // Beside a good one it is passed over: an old key must not keep the new one out.
    const both = file('google').replace(/(<ds:X509Certificate>)[^<]+/, `$1${base64Of(weak.certificate)}`);
    expect(subjects(readIdpMetadata(both, { now }).certificates)).toEqual(['CN=google2']);
  });
});
