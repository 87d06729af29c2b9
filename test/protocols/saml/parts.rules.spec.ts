import {
  bounded,
  demandFresh,
  demandIssuer,
  demandName,
  momentOf,
  readNameId,
  skewOf,
} from '../../../src/protocols/saml/parts.rules.js';
import { scanXml } from '../../../src/protocols/saml/xml-scan.js';
import { reasonOf } from './support/reason.js';

const SAML = 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
const now = new Date('2030-06-01T12:00:00.000Z');
const at = (seconds: number): string => new Date(now.getTime() + seconds * 1000).toISOString();
const element = (attributes: string, inner = '') => scanXml(`<x ${SAML} ${attributes}>${inner}</x>`);

it.each([
  [0, 0],
  [60, 60_000],
  [180, 180_000],
  [9999, 180_000],
  [-5, 0],
])('bounds a skew of %d s to %d ms', (clockSkewSeconds, ms) => {
  expect(skewOf({ clockSkewSeconds })).toBe(ms);
});

it.each<[string, string, string | null]>([
  ['now', at(0), null],
  ['ahead within the skew', at(60), null],
  ['ahead beyond the skew', at(61), 'assertion_not_yet_valid'],
  ['old within ten minutes and the skew', at(-659), null],
  ['old beyond ten minutes and the skew', at(-660), 'assertion_expired'],
  ['not a time', 'yesterday', 'structure_refused'],
])('judges an IssueInstant that is %s', (_what, text, reason) => {
  expect(reasonOf(() => demandFresh(element(`IssueInstant="${text}"`), { now, skewMs: 60_000 }))).toBe(reason);
});

it('demands an IssueInstant, and reads a missing time as null', () => {
  expect(reasonOf(() => demandFresh(element(''), { now, skewMs: 0 }))).toBe('structure_refused');
  expect(momentOf(element(''), 'NotBefore')).toBeNull();
});

it.each<[string, string, string | null]>([
  ['exactly this one', '<saml:Issuer>urn:idp</saml:Issuer>', null],
  ['with white space around it', '<saml:Issuer>\n urn:idp </saml:Issuer>', null],
  ['another one', '<saml:Issuer>urn:other</saml:Issuer>', 'issuer_mismatch'],
  ['missing', '', 'issuer_mismatch'],
  ['there twice', '<saml:Issuer>urn:idp</saml:Issuer><saml:Issuer>urn:idp</saml:Issuer>', 'issuer_mismatch'],
  ['of another format', '<saml:Issuer Format="urn:x">urn:idp</saml:Issuer>', 'issuer_mismatch'],
  ['split by an element', '<saml:Issuer>urn:<x/>idp</saml:Issuer>', 'issuer_mismatch'],
])('judges an Issuer that is %s', (_what, inner, reason) => {
  expect(reasonOf(() => demandIssuer(element('', inner), 'urn:idp', 'message'))).toBe(reason);
});

const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

it.each<[string, string, string | null]>([
  ['one text', '<saml:NameID>ada</saml:NameID>', null],
  ['missing', '', 'name_id_missing'],
  ['encrypted', '<saml:EncryptedID/>', 'name_id_missing'],
  ['there twice', '<saml:NameID>a</saml:NameID><saml:NameID>b</saml:NameID>', 'name_id_missing'],
  ['transient', `<saml:NameID Format="${TRANSIENT}">a</saml:NameID>`, 'name_id_missing'],
])('judges a NameID that is %s', (_what, inner, reason) => {
  expect(reasonOf(() => readNameId(element('', inner)))).toBe(reason);
});

it('reads a NameID with its qualifiers, transient ones where they are permitted', () => {
  const xml = `<saml:NameID Format="${TRANSIENT}" NameQualifier="n" SPNameQualifier="s"> a </saml:NameID>`;
  const expected = { value: ' a ', format: TRANSIENT, nameQualifier: 'n', spNameQualifier: 's' };
  expect(readNameId(element('', xml), true)).toEqual(expected);
});

it.each<[string, string, string | null]>([
  ['ada', 'ada', null],
  ['256 characters', 'x'.repeat(256), null],
  ['257 characters', 'x'.repeat(257), 'name_id_missing'],
  ['blanks', ' \n', 'name_id_missing'],
  ['a letter that was lost', 'ad\ufffd', 'name_id_missing'],
])('judges a name of %s', (_what, name, reason) => {
  expect(reasonOf(() => demandName(name, 'The IdP sent a name'))).toBe(reason);
});

it('bounds texts', () => {
  expect(bounded(null, 'X')).toBeNull();
  expect(bounded('a'.repeat(1024), 'X')).toHaveLength(1024);
  expect(reasonOf(() => bounded('a'.repeat(1025), 'X'))).toBe('structure_refused');
});
