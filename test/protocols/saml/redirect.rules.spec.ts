import { readRedirect } from '../../../src/protocols/saml/redirect.rules.js';
import { reasonOf } from './support/reason.js';

const ALG = encodeURIComponent('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256');
const MESSAGE = encodeURIComponent(Buffer.from('deflated').toString('base64'));
const SIGNATURE = encodeURIComponent(Buffer.from('signature').toString('base64'));
const query = `SAMLRequest=${MESSAGE}&RelayState=a%20b&SigAlg=${ALG}&Signature=${SIGNATURE}`;

it('splits a query and keeps the signed octets unchanged', () => {
  expect(readRedirect(`?x=1&${query}`)).toEqual({
    field: 'SAMLRequest',
    message: Buffer.from('deflated'),
    relayState: 'a b',
    signed: `SAMLRequest=${MESSAGE}&RelayState=a%20b&SigAlg=${ALG}`,
    algorithm: decodeURIComponent(ALG),
    signature: Buffer.from('signature'),
  });
});

it('puts the signed parameters into their order', () => {
  const { signed, relayState } = readRedirect(`Signature=${SIGNATURE}&SigAlg=${ALG}&SAMLResponse=${MESSAGE}`);
  expect([signed, relayState]).toEqual([`SAMLResponse=${MESSAGE}&SigAlg=${ALG}`, null]);
});

it.each<[string, string, string]>([
  ['no message', `SigAlg=${ALG}&Signature=${SIGNATURE}`, 'binding_refused'],
  ['two messages', `${query}&SAMLResponse=${MESSAGE}`, 'binding_refused'],
  ['a repeated parameter', `${query}&RelayState=c`, 'binding_refused'],
  ['an escaped name', query.replace('RelayState', 'Relay%53tate'), 'binding_refused'],
  ['another encoding', `${query}&SAMLEncoding=urn%3Ax`, 'binding_refused'],
  ['no signature', query.replace(/&Signature=.*/, ''), 'signature_missing'],
  ['no algorithm', query.replace(/&SigAlg=[^&]*/, ''), 'signature_missing'],
  ['SHA-1', query.replace(ALG, encodeURIComponent('http://www.w3.org/2000/09/xmldsig#rsa-sha1')), 'algorithm_refused'],
  ['a broken escape', query.replace('a%20b', '%E0%A4%A'), 'message_malformed'],
  ['a message that is not base64', query.replace(MESSAGE, '***'), 'message_malformed'],
  ['more than 256 KiB', `${query}&x=${'a'.repeat(256 * 1024)}`, 'message_too_large'],
])('refuses %s', (_what, text, reason) => {
  expect(reasonOf(() => readRedirect(text))).toBe(reason);
});
