import { readEncrypted } from '../../../src/protocols/saml/encryption.rules.js';
import { checkLogoutShape, demandSignatures, readResponseShape } from '../../../src/protocols/saml/structure.rules.js';
import { scanXml } from '../../../src/protocols/saml/xml-scan.js';
import { SamlRefused } from '../../../src/protocols/saml/saml-refused.js';
import { encryptElement } from './support/encrypt.js';
import { samlIdp, type SamlIdp } from './support/idp.js';
import { logoutXml } from './support/logout.js';
import { signElement } from './support/sign.js';

let idp: SamlIdp;
beforeAll(async () => {
  idp = await samlIdp();
});

function reasonOf(run: () => unknown): string {
  try {
    run();
    return 'good';
  } catch (error) {
    if (error instanceof SamlRefused) return error.reason;
    throw error;
  }
}

describe('the shape of a Response', () => {
  it('has no Signature of another namespace', () => {
    const foreign = idp.answer().replace('</saml:Issuer>', '</saml:Issuer><x:Signature xmlns:x="urn:x"/>');
    expect(reasonOf(() => readResponseShape(scanXml(foreign)))).toBe('structure_refused');
  });

  it('shows which parts are signed and encrypted', () => {
    const shape = (sign: 'assertion' | 'response' | 'both' | 'neither', encryptTo?: typeof idp.key) => {
      const { encrypted, responseSigned, assertionSigned } = readResponseShape(
        scanXml(idp.answer({}, { sign, ...(encryptTo ? { encryptTo } : {}) })),
      );
      return { encrypted, responseSigned, assertionSigned };
    };
    expect(shape('neither')).toEqual({ encrypted: false, responseSigned: false, assertionSigned: false });
    expect(shape('assertion')).toEqual({ encrypted: false, responseSigned: false, assertionSigned: true });
    expect(shape('response')).toEqual({ encrypted: false, responseSigned: true, assertionSigned: false });
    expect(shape('both')).toEqual({ encrypted: false, responseSigned: true, assertionSigned: true });
    expect(shape('both', idp.key)).toEqual({ encrypted: true, responseSigned: true, assertionSigned: false });
  });

  it('may lack an assertion when the IdP gives an error status', () => {
    expect(readResponseShape(scanXml(idp.answer({ assertionXml: '' }, { sign: 'neither' }))).assertion).toBeNull();
  });

  it.each<[string, (honest: string) => string, string]>([
    ['honest', (xml) => xml, 'good'],
    ['no ID', (xml) => xml.replace(' ID="_response-1"', ''), 'structure_refused'],
    ['no Version', (xml) => xml.replace(' Version="2.0"', ''), 'structure_refused'],
    ['an assertion as the root', () => idp.assertion(), 'structure_refused'],
    [
      'assertion and encrypted one',
      (xml) => xml.replace('</samlp:Response>', '<saml:EncryptedAssertion/></samlp:Response>'),
      'structure_refused',
    ],
    [
      'five signatures',
      (xml) =>
        xml.replace(
          '</samlp:Status>',
          `</samlp:Status>${'<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>'.repeat(4)}`,
        ),
      'structure_refused',
    ],
    [
      'a signature of the Subject',
      (xml) =>
        xml.replace('<saml:Subject>', '<saml:Subject><ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>'),
      'structure_refused',
    ],
    ['text in the signature', (xml) => xml.replace('</ds:SignedInfo>', '</ds:SignedInfo>x'), 'structure_refused'],
    [
      'parameters of the method',
      (xml) =>
        xml.replace(
          /(<ds:SignatureMethod [^>]*)\/>/,
          '$1><ds:HMACOutputLength>1</ds:HMACOutputLength></ds:SignatureMethod>',
        ),
      'algorithm_refused',
    ],
    [
      'a prefix list',
      (xml) =>
        xml.replace(
          /<ds:Transform Algorithm="http:\/\/www.w3.org\/2001\/10\/xml-exc-c14n#"\/>/,
          '<ds:Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"><ec:InclusiveNamespaces xmlns:ec="http://www.w3.org/2001/10/xml-exc-c14n#" PrefixList="xs"/></ds:Transform>',
        ),
      'good',
    ],
  ])('%s', (_name, change, expected) => {
    const honest = idp.answer();
    expect(reasonOf(() => readResponseShape(scanXml(honest)))).toBe('good');
    expect(reasonOf(() => readResponseShape(scanXml(change(honest))))).toBe(expected);
  });

  it.each([
    ['neither', 'assertion', 'signature_missing'],
    ['neither', 'response', 'signature_missing'],
    ['neither', 'both', 'signature_missing'],
    ['assertion', 'assertion', 'good'],
    ['assertion', 'response', 'signature_missing'],
    ['assertion', 'both', 'signature_missing'],
    ['response', 'assertion', 'signature_missing'],
    ['response', 'response', 'good'],
    ['response', 'both', 'signature_missing'],
    ['both', 'assertion', 'good'],
    ['both', 'response', 'good'],
    ['both', 'both', 'good'],
  ] as const)('%s signed, %s wanted: %s', (sign, wanted, expected) => {
    const shape = readResponseShape(scanXml(idp.answer({}, { sign })));
    expect(reasonOf(() => demandSignatures(shape, wanted))).toBe(expected);
  });

  it('names the setting that fits when the other part is signed', () => {
    const shape = readResponseShape(scanXml(idp.answer({}, { sign: 'response' })));
    expect(() => demandSignatures(shape, 'assertion')).toThrow(/set "signed" of the connection to "response"/);
    expect(() => demandSignatures(shape, 'both')).not.toThrow(/"response"/);
  });
});

it('the shape of a logout message', () => {
  const request = logoutXml('LogoutRequest');
  expect(checkLogoutShape(scanXml(request), 'LogoutRequest')).toBe(false);
  expect(checkLogoutShape(scanXml(signElement(request, 'LogoutRequest', idp.key)), 'LogoutRequest')).toBe(true);
  expect(reasonOf(() => checkLogoutShape(scanXml(request), 'LogoutResponse'))).toBe('structure_refused');
  const withAssertion = request.replace('</saml:Issuer>', `</saml:Issuer>${idp.assertion()}`);
  expect(reasonOf(() => checkLogoutShape(scanXml(withAssertion), 'LogoutRequest'))).toBe('structure_refused');
});

describe('an encrypted part', () => {
  it.each<[string, (xml: string) => string, string]>([
    ['honest', (xml) => xml, 'good'],
    ['another cipher', (xml) => xml.replace('xmlenc11#aes256-gcm', 'xmlenc11#aes512-gcm'), 'algorithm_refused'],
    [
      'Triple DES',
      (xml) =>
        xml.replace('http://www.w3.org/2009/xmlenc11#aes256-gcm', 'http://www.w3.org/2001/04/xmlenc#tripledes-cbc'),
      'algorithm_refused',
    ],
    [
      'AES-CBC',
      (xml) => xml.replace('http://www.w3.org/2009/xmlenc11#aes256-gcm', 'http://www.w3.org/2001/04/xmlenc#aes256-cbc'),
      'algorithm_refused',
    ],
    ['a key by RSA 1.5', (xml) => xml.replace('rsa-oaep-mgf1p', 'rsa-1_5'), 'algorithm_refused'],
    ['a key by AES key wrap', (xml) => xml.replace('rsa-oaep-mgf1p', 'kw-aes128'), 'algorithm_refused'],
    [
      'OAEP with two hashes',
      (xml) => xml.replace('http://www.w3.org/2000/09/xmldsig#sha1', 'http://www.w3.org/2001/04/xmlenc#sha256'),
      'good',
    ],
    [
      'OAEP with MD5',
      (xml) => xml.replace('http://www.w3.org/2000/09/xmldsig#sha1', 'http://www.w3.org/2001/04/xmldsig-more#md5'),
      'algorithm_refused',
    ],
    ['no key', (xml) => xml.replace(/<ds:KeyInfo.*<\/ds:KeyInfo>/, ''), 'structure_refused'],
    ['no data', (xml) => xml.replace(/<xenc:EncryptedData .*<\/xenc:EncryptedData>/, ''), 'structure_refused'],
    [
      'two methods',
      (xml) => xml.replace(/(<xenc:EncryptionMethod Algorithm="[^"]*gcm"\/>)/, '$1$1'),
      'structure_refused',
    ],
    [
      'a reference to somewhere else',
      (xml) =>
        xml.replace(
          /<xenc:CipherValue>[^<]*<\/xenc:CipherValue>(?=<\/xenc:CipherData><\/xenc:EncryptedData>)/,
          '<xenc:CipherReference URI="http://evil.example"/>',
        ),
      'structure_refused',
    ],
    [
      'something beside it',
      (xml) => xml.replace('</saml:EncryptedAssertion>', '<x/></saml:EncryptedAssertion>'),
      'structure_refused',
    ],
  ])('%s', (_name, change, expected) => {
    const honest = encryptElement(idp.assertion(), idp.key);
    expect(reasonOf(() => readEncrypted(scanXml(honest), false))).toBe('good');
    expect(reasonOf(() => readEncrypted(scanXml(change(honest)), false))).toBe(expected);
  });
});
