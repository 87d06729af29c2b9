import { long } from '../../support/rounds.js';
import { formOf, samlIdp, SP, type AnswerParts, type AnswerShape, type SamlIdp } from './support/idp.js';
import { outcome, samlSp, type SamlSp } from './support/protocol.js';

let sp: SamlSp;
let idp: SamlIdp;
beforeAll(async () => {
  [sp, idp] = await Promise.all([samlSp(), samlIdp()]);
});
afterAll(() => sp.close());

const HONEST = 'signed in: ada-1815';
const ofLength = (length: number) => 'x'.repeat(length);
const attribute = (name: string, value: string, friendly = '') =>
  `<saml:Attribute Name="${name}"${friendly && ` FriendlyName="${friendly}"`}><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`;
const attributes = (inner: string): AnswerParts => ({
  attributesXml: `<saml:AttributeStatement>${inner}</saml:AttributeStatement>`,
});
const nameId = (more: string): AnswerParts => ({ nameIdXml: `<saml:NameID ${more}>ada-1815</saml:NameID>` });
const session = (index: string): AnswerParts => ({
  authnXml: `<saml:AuthnStatement AuthnInstant="2030-01-01T00:00:00Z" SessionIndex="${index}"/>`,
});

describe('texts that a good IdP signs', () => {
  it.each<[string, number, (length: number) => AnswerParts, string]>([
    ['SessionIndex', 1024, (length) => session(ofLength(length)), 'structure_refused'],
    ['AuthnContextClassRef', 1024, (length) => ({ authnContext: ofLength(length) }), 'structure_refused'],
    ['Format', 1024, (length) => ({ nameIdFormat: ofLength(length) }), 'structure_refused'],
    ['NameQualifier', 1024, (length) => nameId(`NameQualifier="${ofLength(length)}"`), 'structure_refused'],
    ['SPNameQualifier', 1024, (length) => nameId(`SPNameQualifier="${ofLength(length)}"`), 'structure_refused'],
    ['ID of the assertion', 1024, (length) => ({ assertionId: ofLength(length) }), 'structure_refused'],
    ['ID of the Response', 1024, (length) => ({ responseId: ofLength(length) }), 'structure_refused'],
  ])('%s: have at most %d characters', async (_name, limit, parts, reason) => {
    expect(await sp.outcome(idp.connection(), idp.form(parts(limit)))).toBe(HONEST);
    expect(await sp.outcome(idp.connection(), idp.form(parts(limit + 1)))).toBe(reason);
    expect(await sp.outcome(idp.connection(), idp.form())).toBe(HONEST);
  });

  it.each<[string, number, (length: number) => AnswerParts]>([
    ['name of an attribute', 1024, (length) => attributes(attribute(ofLength(length), 'v'))],
    ['FriendlyName', 1024, (length) => attributes(attribute('n', 'v', ofLength(length)))],
    ['value of an attribute', 16_384, (length) => attributes(attribute('n', ofLength(length)))],
    ['value of an attribute in bytes', 8_192, (length) => attributes(attribute('n', 'é'.repeat(length)))],
    [
      'number of attributes',
      500,
      (count) => attributes(Array.from({ length: count }, (_, i) => attribute(`n${i}`, 'v')).join('')),
    ],
  ])('%s: are left out over %d characters, without a refusal', async (_name, limit, parts) => {
    const seen = [];
    for (const length of [limit, limit + 1]) {
      const answer = sp.protocol.read(idp.form(parts(length)));
      const { subject, claims } = await sp.protocol.verify(idp.connection(), answer, { requestId: SP.request });
      seen.push([subject, Object.keys(claims).length]);
    }
    const kept = seen[0]![1] as number;
    expect(seen).toEqual([['ada-1815', kept], ['ada-1815', limit === 500 ? 500 : kept - 1]]); // prettier-ignore
  });

  it('InResponseTo: has at most 256 characters, checked before any look-up', async () => {
    const answer = (length: number) => idp.form({ inResponseTo: ofLength(length) });
    expect(await sp.outcome(idp.connection(), answer(256), ofLength(256))).toBe(HONEST);
    expect(await sp.outcome(idp.connection(), answer(257), ofLength(257))).toBe('structure_refused');
    expect(() => sp.protocol.read(answer(257))).toThrow('InResponseTo');
    expect(await sp.outcome(idp.connection(), idp.form({ responseIssuer: ofLength(1025) }))).toBe('structure_refused');
    expect(await sp.outcome(idp.connection(), idp.form())).toBe(HONEST);
  });

  long('elements: are at most 1 500 in the verified part, signed or not', async () => {
    const honest = (idp.answer().match(/<[a-z]/g) ?? []).length;
    // Extensions are an element themselves.
    const extended = (count: number) =>
      formOf(
        idp.answer({ extensionsXml: `<samlp:Extensions>${'<x/>'.repeat(count - honest - 1)}</samlp:Extensions>` }),
      );
    expect(await sp.outcome(idp.connection(), extended(1500))).toBe(HONEST);
    expect(await sp.outcome(idp.connection(), extended(1501))).toBe('message_too_large');
    const encrypted = (count: number) => {
      const more = attributes(`<saml:Attribute Name="g">${'<saml:AttributeValue>g</saml:AttributeValue>'.repeat(count)}</saml:Attribute>`); // prettier-ignore
      return idp.form(more, { encryptTo: sp.current });
    };
    expect(await sp.outcome(idp.connection(), encrypted(1015))).toBe(HONEST);
    expect(await sp.outcome(idp.connection(), encrypted(1500))).toBe('message_too_large');
  });
});

describe('two readers that disagree', () => {
  const verify = (shape: AnswerShape, seen: string, verified: string) =>
    outcome(async () => {
      const answer = sp.protocol.read(formOf(seen));
      const { message } = sp.protocol.read(formOf(verified));
      const connection = idp.connection({ signed: shape.sign as 'assertion' });
      return sp.protocol.verify(connection, { ...answer, message }, { requestId: SP.request });
    });
  /** The verifier reads the message; our own checks of the structure have read the message after `change`. */
  const changed = (shape: AnswerShape, parts: AnswerParts, change: (xml: string) => string) => {
    const xml = idp.answer(parts, shape);
    expect(change(xml)).not.toBe(xml);
    return verify(shape, change(xml), xml);
  };

  it.each(['assertion', 'response', 'both'] as const)('about the assertion are refused, %s signed', async (sign) => {
    const [one, other] = [idp.answer({}, { sign }), idp.answer({ nameId: 'mallory' }, { sign })];
    expect(await verify({ sign }, one, one)).toBe(HONEST);
    expect(await verify({ sign }, one, other)).toBe('signature_invalid');
    const otherId = { assertionId: '_other', nameId: 'mallory' };
    const renamed = (xml: string) => xml.replaceAll('_other', '_assertion-1');
    expect(await changed({ sign }, otherId, renamed)).toBe('signature_invalid');
    expect(await changed({ sign }, {}, (xml) => xml.replace('ada-1815', 'mallory'))).toBe(HONEST);
  });

  it('about the Response are decided by its signed octets', async () => {
    const sign = { sign: 'response' } as const;
    const evil = 'https://evil.example';
    const addressed = (from: string, to: string) => (xml: string) =>
      xml.replace(`Destination="${from}"`, `Destination="${to}"`);
    expect(await changed(sign, { destination: evil }, addressed(evil, SP.acs))).toBe('destination_mismatch');
    expect(await changed(sign, { responseInResponseTo: '_other' }, (xml) => xml.replace('"_other"', `"${SP.request}"`))).toBe('in_response_to_mismatch'); // prettier-ignore
    expect(await changed(sign, {}, addressed(SP.acs, evil))).toBe(HONEST);
  });

  it('about encrypted parts are refused', async () => {
    const shape: AnswerShape = { sign: 'response', encryptTo: sp.current };
    expect(await sp.outcome(idp.connection({ signed: 'response' }), idp.form({}, shape))).toBe(HONEST);
    // The same words, but not the same ciphertext as under the signature.
    expect(await verify(shape, idp.answer({ nameId: 'mallory' }, shape), idp.answer({}, shape))).toBe('signature_invalid'); // prettier-ignore
    expect(await verify(shape, idp.answer({}, shape), idp.answer({}, shape))).toBe('signature_invalid');
  });
});
