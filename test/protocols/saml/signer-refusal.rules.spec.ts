import type { SamlKeyPair } from '../../../src/protocols/saml/saml-settings.js';
import { listOfCertificates, signerRefusal } from '../../../src/protocols/saml/signer-refusal.rules.js';
import { scanXml } from '../../../src/protocols/saml/xml-scan.js';
import { newKey } from './support/keys.js';
import { signElement } from './support/sign.js';

let pinned: SamlKeyPair;
let other: SamlKeyPair;
beforeAll(async () => ([pinned, other] = await Promise.all([newKey('pinned'), newKey('other')])));

const signedBy = (key: SamlKeyPair, more: object = {}) =>
  scanXml(signElement('<a ID="_1"><Issuer/></a>', 'a', key, more));
const messageOf = (key: SamlKeyPair, more: object = {}) => {
  const { reason, message } = signerRefusal([signedBy(key, more), null], [pinned.certificate]);
  expect(reason).toBe('signature_invalid');
  return message;
};

it('names the certificate of the message', () => {
  expect(messageOf(other)).toContain(`brought the certificate ${listOfCertificates([other.certificate])};`);
});

it('reports that the certificate of the message is pinned', () => {
  expect(messageOf(pinned)).toContain(', which is pinned;');
});

it('reports that the message has no certificate', () => {
  expect(messageOf(other, { keyInfo: null })).toContain('The message brought no certificate;');
});

it('lists at most three certificates, and leaves unreadable ones out', () => {
  const list = listOfCertificates([...Array.from({ length: 5 }, () => pinned.certificate), 'x']);
  expect(list).toMatch(/^([0-9A-F:]{16}… \(until \d{4}-\d\d-\d\d\)(, )?){3} and 2 more$/);
  expect(listOfCertificates([])).toBe('none');
});
