import type { SamlKeyPair } from '../../../src/protocols/saml/saml-settings.js';
import { checkSignatureOf, shown, signatureExcerpt } from '../../../src/protocols/saml/signature-form.rules.js';
import { scanXml } from '../../../src/protocols/saml/xml-scan.js';
import { newKey } from './support/keys.js';
import { reasonOf } from './support/reason.js';
import { signElement } from './support/sign.js';

let key: SamlKeyPair;
let signed: string;
const SAML = 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
beforeAll(async () => {
  key = await newKey('idp');
  signed = signElement(
    `<saml:Assertion ${SAML} ID="_1"><saml:Issuer>urn:idp</saml:Issuer></saml:Assertion>`,
    'Assertion',
    key,
  );
});

it('finds a signature, and returns null without one', () => {
  expect(checkSignatureOf(scanXml(signed))).toBe(true);
  expect(checkSignatureOf(scanXml(`<saml:Assertion ${SAML} ID="_1"/>`))).toBe(false);
});

const SIGNATURE = /<ds:Signature .*<\/ds:Signature>/s;

it.each<[string, (xml: string) => string, string]>([
  ['two signatures', (xml) => xml.replace(SIGNATURE, '$&$&'), 'structure_refused'],
  ['a Reference to another element', (xml) => xml.replace('URI="#_1"', 'URI="#_2"'), 'structure_refused'],
  ['a Reference to the whole document', (xml) => xml.replace('URI="#_1"', 'URI=""'), 'structure_refused'],
  [
    'an Object in the signature',
    (xml) => xml.replace('</ds:Signature>', '<ds:Object/></ds:Signature>'),
    'structure_refused',
  ],
  ['text in the signature', (xml) => xml.replace('</ds:Signature>', 'x</ds:Signature>'), 'structure_refused'],
  ['an empty value', (xml) => xml.replace(/(<ds:SignatureValue>)[^<]*/, '$1'), 'signature_missing'],
  [
    'an empty signature',
    (xml) => xml.replace(SIGNATURE, '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>'),
    'signature_missing',
  ],
  ['SHA-1', (xml) => xml.replace('xmldsig-more#rsa-sha256', 'xmldsig#rsa-sha1'), 'algorithm_refused'],
  ['an HMAC', (xml) => xml.replace('#rsa-sha256', '#hmac-sha256'), 'algorithm_refused'],
  ['a SHA-1 digest', (xml) => xml.replace('2001/04/xmlenc#sha256', '2000/09/xmldsig#sha1'), 'algorithm_refused'],
  ['another transform', (xml) => xml.replace('#enveloped-signature', '#base64'), 'algorithm_refused'],
])('refuses %s', (_what, change, reason) => {
  const xml = change(signed);
  expect(xml).not.toBe(signed);
  expect(reasonOf(() => checkSignatureOf(scanXml(xml)))).toBe(reason);
});

it('cuts a signature out without its content and KeyInfo', () => {
  const excerpt = scanXml(signatureExcerpt(scanXml(signed)));
  expect([excerpt.name, excerpt.children.map(({ name }) => name)]).toEqual([
    'Signature',
    ['SignedInfo', 'SignatureValue'],
  ]);
});

it.each([
  ['', '(none)'],
  ['urn:x', 'urn:x'],
  ['a\nb', 'a?b'],
  ['x'.repeat(200), `${'x'.repeat(120)}…`],
])('shows %j as %j', (text, expected) => {
  expect(shown(text)).toBe(expected);
});
