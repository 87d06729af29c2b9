import { readClaims, subjectIn, type SamlClaims } from '../../../src/protocols/saml/attributes.mapping.js';
import { scanXml } from '../../../src/protocols/saml/xml-scan.js';
import { reasonOf } from './support/reason.js';

const SAML = 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
const attribute = (names: string, ...values: string[]): string =>
  `<saml:Attribute ${names}>${values.map((one) => `<saml:AttributeValue>${one}</saml:AttributeValue>`).join('')}</saml:Attribute>`;
const read = (...attributes: string[]): SamlClaims =>
  readClaims([scanXml(`<saml:AttributeStatement ${SAML}>${attributes.join('')}</saml:AttributeStatement>`)]);

it.each<[string, string[], object]>([
  ['one value as a text', [attribute('Name="mail"', 'a@e.com')], { mail: 'a@e.com' }],
  ['several values as a list', [attribute('Name="groups"', 'a', 'b')], { groups: ['a', 'b'] }],
  [
    'an attribute that comes twice as one list',
    [attribute('Name="g"', 'a'), attribute('Name="g"', 'b')],
    { g: ['a', 'b'] },
  ],
  ['the text of a NameID', [attribute('Name="id"', '<saml:NameID>x</saml:NameID>')], { id: 'x' }],
  ['a NameID with blanks around it', [attribute('Name="id"', '\n <saml:NameID>x</saml:NameID> ')], { id: 'x' }],
  ['nothing of a NameID with text before it', [attribute('Name="id"', 'y<saml:NameID>x</saml:NameID>')], {}],
  ['nothing of a NameID with text after it', [attribute('Name="id"', '<saml:NameID>x</saml:NameID>y')], {}],
  ['nothing of other structures', [attribute('Name="id"', '<y/>')], {}],
  ['nothing of an attribute without values', [attribute('Name="id"')], {}],
  ['both names of an attribute', [attribute('Name="urn:1" FriendlyName="mail"', 'a')], { 'urn:1': 'a', mail: 'a' }],
  [
    'a Name before a FriendlyName',
    [attribute('Name="mail"', 'a'), attribute('Name="x" FriendlyName="mail"', 'b')],
    { mail: 'a', x: 'b' },
  ],
])('maps %s', (_what, attributes, claims) => {
  expect({ ...read(...attributes).claims }).toEqual(claims);
});

it('marks the claims that came by a FriendlyName alone', () => {
  const { unsureNames } = read(
    attribute('Name="urn:1" FriendlyName="mail"', 'a'),
    attribute('Name="b" FriendlyName="b"', 'c'),
  );
  expect([...unsureNames]).toEqual(['mail']);
});

it.each<[string, string[], RegExp]>([
  ['a reserved name', [attribute('Name="__proto__"', 'a')], /__proto__: its name is reserved/],
  ['a long name', [attribute(`Name="${'n'.repeat(1025)}"`, 'a')], /more than 1024 characters/],
  ['a long value', [attribute('Name="photo"', 'x'.repeat(16 * 1024 + 1))], /photo: a value has more than 16384 bytes/],
  [
    'the 501st attribute',
    Array.from({ length: 501 }, (_, i) => attribute(`Name="a${i}"`, 'x')),
    /1 beyond the first 500/,
  ],
])('leaves out and reports %s', (_what, attributes, reason) => {
  const { leftOut } = read(...attributes);
  expect(leftOut.join('; ')).toMatch(reason);
});

it.each<[string, string[], string | null]>([
  ['one value', [attribute('Name="uid"', 'ada')], null],
  ['no attribute', [], 'name_id_missing'],
  ['a FriendlyName alone', [attribute('Name="urn:1" FriendlyName="uid"', 'ada')], 'name_id_missing'],
  ['several values', [attribute('Name="uid"', 'ada', 'eve')], 'name_id_missing'],
  ['a blank value', [attribute('Name="uid"', ' ')], 'name_id_missing'],
])('takes the subject from %s', (_what, attributes, reason) => {
  expect(reasonOf(() => subjectIn(read(...attributes), 'uid'))).toBe(reason);
});
