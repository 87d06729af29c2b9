import type { SamlKeyPair, SamlSettings } from '../../../src/protocols/saml/saml-settings.js';
import { signatureExcerpt } from '../../../src/protocols/saml/signature-form.rules.js';
import { scanXml } from '../../../src/protocols/saml/xml-scan.js';
import { long } from '../../support/rounds.js';
import { formOf, samlIdp, SP, type AnswerParts, type AnswerShape, type SamlIdp } from './support/idp.js';
import { newKey } from './support/keys.js';
import { samlSp, type SamlSp } from './support/protocol.js';
import { ENVELOPED, EXC_C14N, signElement, type SignOptions } from './support/sign.js';
import { split, wrappings } from './support/wrapping.js';

let sp: SamlSp;
let idp: SamlIdp;
let attacker: SamlKeyPair;

beforeAll(async () => {
  [sp, idp, attacker] = await Promise.all([samlSp(), samlIdp(), newKey('attacker')]);
});
afterAll(() => sp.close());

const HONEST = 'signed in: ada-1815';

async function post(xml: string | Buffer, connection: Partial<SamlSettings> = {}): Promise<string> {
  return sp.outcome(idp.connection(connection), formOf(xml));
}

/** Tries each case between two honest sign-ins. */
async function refusals(
  cases: Record<string, string | Buffer>,
  connection: Partial<SamlSettings>,
  honest: string,
): Promise<Record<string, string>> {
  expect(await post(honest, connection)).toBe(HONEST);
  const found: Record<string, string> = {};
  for (const [name, xml] of Object.entries(cases)) found[name] = await post(xml, connection);
  expect(await post(honest, connection)).toBe(HONEST);
  return found;
}

function all(cases: Record<string, unknown>, reason: string): Record<string, string> {
  return Object.fromEntries(Object.keys(cases).map((name) => [name, reason]));
}

describe('signature wrapping', () => {
  const signings = ['assertion', 'response', 'both'] as const;
  it.each(signings.flatMap((signed) => ['_evil', '_assertion-1'].map((id) => [signed, id] as const)))(
    'is refused when the connection wants %s signed and the evil assertion is %s',
    async (signed, id) => {
      const evil = idp.assertion({ nameId: 'mallory', assertionId: id });
      const around = (inner: string, extensionsXml = '', status = '') =>
        idp
          .answer({ assertionXml: inner, extensionsXml, responseId: '_evil-response' }, { sign: 'neither' })
          .replace('</samlp:Status>', `${status}</samlp:Status>`);
      const signedAssertion = signElement(idp.assertion(), 'Assertion', idp.key);
      const cases = wrappings(signedAssertion, idp.answer({}, { sign: 'response' }), evil, around);
      expect(await refusals(cases, { signed }, idp.answer({}, { sign: signed }))).toEqual(
        all(cases, 'structure_refused'),
      );
    },
  );

  long('returns no unsigned assertion, also without a check of the structure', async () => {
    const evil = idp.assertion({ nameId: 'mallory', assertionId: '_evil' });
    const around = (inner: string, extensionsXml = '', status = '') =>
      idp
        .answer({ assertionXml: inner, extensionsXml, responseId: '_evil-response' }, { sign: 'neither' })
        .replace('</samlp:Status>', `${status}</samlp:Status>`);
    const signedAssertion = signElement(idp.assertion(), 'Assertion', idp.key);
    // Signatures that are valid for every message: the library alone has to decide.
    const signedResponse = idp.answer({}, { sign: 'response' });
    const excerpts = [signedAssertion, signedResponse].map((xml) => signatureExcerpt(scanXml(xml)));
    const verify = async (xml: string, excerpt: string) => {
      const job = { signatures: [{ xml, excerpt }], certificates: [idp.key.certificate] };
      return (await sp.verifier.verify(idp.connection(), job)).signed;
    };
    expect((await verify(signedAssertion, excerpts[0]!))![0]).toContain('ada-1815');
    expect((await verify(signedResponse, excerpts[1]!))![0]).toContain('ada-1815');
    for (const xml of Object.values(wrappings(signedAssertion, signedResponse, evil, around))) {
      for (const excerpt of excerpts) expect((await verify(xml, excerpt))?.join() ?? '').not.toContain('mallory');
    }
    // Nor is there an algorithm in the thread that is not in the list.
    const own = (xml: string) => verify(xml, signatureExcerpt(scanXml(xml)));
    const assertionBy = (signing: object) => signElement(idp.assertion(), 'Assertion', idp.key, signing);
    expect(await own(assertionBy({ algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }))).toBeNull();
    expect(await own(assertionBy({ digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }))).toBeNull();
    expect(await verify(idp.answer({}, { sign: 'neither' }), excerpts[0]!)).toBeNull();
    expect(await own(assertionBy({}))).not.toBeNull();
  });

  it('is refused when names are right and namespaces are not', async () => {
    const foreign = (name: string) => `<x:${name} xmlns:x="urn:example:other" ID="_x"/>`;
    const cases = {
      'foreign Assertion': idp.answer({
        extensionsXml: `<samlp:Extensions>${foreign('Assertion')}</samlp:Extensions>`,
      }),
      'foreign Response': idp.answer({ extensionsXml: `<samlp:Extensions>${foreign('Response')}</samlp:Extensions>` }),
      'foreign Signature': idp.answer({
        extensionsXml: `<samlp:Extensions>${foreign('Signature')}</samlp:Extensions>`,
      }),
      'the only assertion is foreign': idp.answer(
        {
          assertionXml: signElement(
            idp.assertion().replace('SAML:2.0:assertion', 'SAML:9.0:assertion'),
            'Assertion',
            idp.key,
          ),
        },
        { sign: 'neither' },
      ),
      'the only assertion is in Extensions': idp.answer(
        {
          assertionXml: '',
          extensionsXml: `<samlp:Extensions>${signElement(idp.assertion(), 'Assertion', idp.key)}</samlp:Extensions>`,
        },
        { sign: 'neither' },
      ),
      'foreign root': idp.answer().replace('xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"', 'xmlns:samlp="urn:x"'),
      'SAML 1.1': idp.answer().replace('SAML:2.0:protocol', 'SAML:1.0:protocol'),
    };
    expect(await refusals(cases, {}, idp.answer())).toEqual(all(cases, 'structure_refused'));
  });

  it('is refused when IDs are ambiguous', async () => {
    const honest = idp.answer();
    const mark = (attribute: string) =>
      idp.answer({ extensionsXml: `<samlp:Extensions><x:y xmlns:x="urn:x" ${attribute}/></samlp:Extensions>` });
    const cases = {
      'same ID': mark('ID="_assertion-1"'),
      'same Id': mark('Id="_assertion-1"'),
      'same id': mark('id="_assertion-1"'),
      'same xml:id': mark('xml:id="_assertion-1"'),
      'same prefixed ID': mark('x:ID="_assertion-1"'),
      'Response and assertion share one': idp.answer({ responseId: '_assertion-1' }),
      'Id on a SAML element': honest.replace('<saml:Subject>', '<saml:Subject Id="_other">'),
      'prefixed ID on a SAML element': honest.replace('<saml:Subject>', '<saml:Subject saml:ID="_other">'),
      'xml:id on the assertion': honest.replace(' ID="_assertion-1"', ' xml:id="_assertion-1"'),
    };
    expect(await refusals(cases, {}, honest)).toEqual(all(cases, 'structure_refused'));
  });
});

describe('signatures', () => {
  it('that are missing or empty are refused', async () => {
    const honest = idp.answer();
    const { rest, signature } = split(honest);
    const cases = {
      unsigned: idp.answer({}, { sign: 'neither' }),
      stripped: rest,
      'empty Signature': honest.replace(signature, '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>'),
      'empty SignatureValue': honest.replace(/(<ds:SignatureValue>)[^<]*/, '$1'),
      'blank SignatureValue': honest.replace(/(<ds:SignatureValue>)[^<]*/, '$1 \n'),
      'SignatureValue left out': honest.replace(/<ds:SignatureValue>.*<\/ds:SignatureValue>/, ''),
      'only the Response is signed': idp.answer({}, { sign: 'response' }),
    };
    const refused = all(cases, 'signature_missing');
    // KeyInfo is in place of the value then.
    expect(await refusals(cases, {}, honest)).toEqual({
      ...refused,
      'SignatureValue left out': 'structure_refused',
    });
  });

  it('at another place than the connection wants are refused', async () => {
    const assertion = idp.answer({}, { sign: 'assertion' });
    const response = idp.answer({}, { sign: 'response' });
    const both = idp.answer({}, { sign: 'both' });
    expect(await refusals({ assertion }, { signed: 'response' }, response)).toEqual({ assertion: 'signature_missing' });
    expect(await refusals({ assertion, response }, { signed: 'both' }, both)).toEqual(
      all({ assertion, response }, 'signature_missing'),
    );
    expect(await post(both, { signed: 'assertion' })).toBe(HONEST);
    expect(await post(both, { signed: 'response' })).toBe(HONEST);
  });

  it('by another key are refused with every KeyInfo', async () => {
    const forged = (shape: AnswerShape) => idp.answer({ nameId: 'mallory' }, { key: attacker, ...shape });
    const cases = {
      'other key': forged({}),
      'other key, IdP certificate in KeyInfo': forged({ signing: { keyInfo: idp.key } }),
      'other key, own certificate in KeyInfo': forged({ signing: { keyInfo: attacker } }),
      'other key, no KeyInfo': forged({ signing: { keyInfo: null } }),
      'good assertion in a Response of another key': signElement(idp.answer(), 'Response', attacker),
      'good Response around an assertion of another key': idp.answer(
        { assertionXml: signElement(idp.assertion(), 'Assertion', attacker) },
        { sign: 'response' },
      ),
    };
    // A signature that is there has to verify, wanted or not.
    expect(await refusals(cases, {}, idp.answer())).toEqual(all(cases, 'signature_invalid'));
    expect(await post(idp.answer({}, { signing: { keyInfo: attacker } }))).toBe(HONEST);
  });

  it('over changed content are refused', async () => {
    const honest = idp.answer();
    const cases = {
      NameID: honest.replace('ada-1815', 'mallory'),
      'a letter in another case': honest.replace('ada-1815', 'Ada-1815'),
      'white space at the end': honest.replace('ada-1815', 'ada-1815 '),
      'a look-alike letter': honest.replace('ada-1815', 'аda-1815'),
      Recipient: honest.replace(`Recipient="${SP.acs}"`, 'Recipient="https://evil.example"'),
      'an attribute': honest.replace('ada@example.com', 'eve@example.com'),
      'the digest': honest.replace(/(<ds:DigestValue>)./, '$1A').replace(/(<ds:DigestValue>.)./, '$1A'),
    };
    expect(await refusals(cases, {}, honest)).toEqual(all(cases, 'signature_invalid'));
  });

  it('with two readings are refused', async () => {
    const honest = idp.answer();
    const info = /<ds:SignedInfo>.*<\/ds:SignedInfo>/.exec(honest)![0];
    const reference = /<ds:Reference.*<\/ds:Reference>/.exec(honest)![0];
    const digest = /<ds:DigestValue>.*<\/ds:DigestValue>/.exec(honest)![0];
    const cases = {
      'two SignedInfo (CVE-2025-29774)': honest.replace(info, info + info),
      'SignedInfo after the value': honest.replace(info, '').replace('<ds:KeyInfo>', `${info}<ds:KeyInfo>`),
      'two References': honest.replace(reference, reference + reference),
      'two DigestValues': honest.replace(digest, digest + digest),
      'a comment in DigestValue (CVE-2025-29775)': honest.replace('<ds:DigestValue>', '<ds:DigestValue><!--x-->'),
      'an element in DigestValue': honest.replace('<ds:DigestValue>', '<ds:DigestValue><x/>'),
      'an element in SignatureValue': honest.replace('<ds:SignatureValue>', '<ds:SignatureValue><x/>'),
      'empty URI': honest.replace('URI="#_assertion-1"', 'URI=""'),
      'no URI': honest.replace(' URI="#_assertion-1"', ''),
      'URI without #': honest.replace('URI="#_assertion-1"', 'URI="_assertion-1"'),
      'URI of the Response': honest.replace('URI="#_assertion-1"', 'URI="#_response-1"'),
      'XPointer URI': honest.replace('URI="#_assertion-1"', `URI="#xpointer(id('_assertion-1'))"`),
      'two Signatures': honest.replace(/(<ds:Signature .*<\/ds:Signature>)/, '$1$1'),
      'Signature one level too deep': honest.replace(
        /(<ds:Signature .*<\/ds:Signature>)/,
        '<saml:Advice>$1</saml:Advice>',
      ),
    };
    expect(await refusals(cases, {}, honest)).toEqual(all(cases, 'structure_refused'));
  });

  it('in weak or dangerous algorithms are refused', async () => {
    const signed = (signing: SignOptions) => idp.answer({}, { signing });
    const honest = idp.answer();
    const named = (from: string, to: string) => honest.replace(from, to);
    const cases = {
      'RSA-SHA1': signed({ algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
      'SHA-1 digest': signed({ digest: 'http://www.w3.org/2000/09/xmldsig#sha1' }),
      'HMAC with the public certificate': idp.answer(
        {},
        {
          key: { ...idp.key, privateKey: idp.key.certificate },
          signing: { algorithm: 'http://www.w3.org/2000/09/xmldsig#hmac-sha1' },
        },
      ),
      'HMAC-SHA256 by name': named('xmldsig-more#rsa-sha256', 'xmldsig-more#hmac-sha256'),
      'DSA by name': named(
        'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
        'http://www.w3.org/2009/xmldsig11#dsa-sha256',
      ),
      'inclusive c14n of SignedInfo': signed({ canonicalization: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315' }),
      'c14n with comments': signed({ canonicalization: 'http://www.w3.org/2001/10/xml-exc-c14n#WithComments' }),
      'transform with comments': signed({ transforms: [ENVELOPED, `${EXC_C14N}WithComments`] }),
      'one transform': signed({ transforms: [ENVELOPED] }),
      XPath: named(`Algorithm="${ENVELOPED}"`, 'Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"'),
      XSLT: named(`Algorithm="${ENVELOPED}"`, 'Algorithm="http://www.w3.org/TR/1999/REC-xslt-19991116"'),
      base64: named(`Algorithm="${ENVELOPED}"`, 'Algorithm="http://www.w3.org/2000/09/xmldsig#base64"'),
      'a stylesheet in a transform': honest.replace(
        `<ds:Transform Algorithm="${ENVELOPED}"/>`,
        `<ds:Transform Algorithm="${ENVELOPED}"><x:stylesheet xmlns:x="http://www.w3.org/1999/XSL/Transform"/></ds:Transform>`,
      ),
    };
    expect(await refusals(cases, {}, honest)).toEqual(all(cases, 'algorithm_refused'));
  });

  it('in every algorithm of the list are accepted', async () => {
    const more = 'http://www.w3.org/2001/04/xmldsig-more#';
    const rsa: SignOptions[] = [
      { algorithm: `${more}rsa-sha384`, digest: `${more}sha384` },
      { algorithm: `${more}rsa-sha512`, digest: 'http://www.w3.org/2001/04/xmlenc#sha512' },
      { algorithm: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1' },
      { algorithm: 'http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1' },
    ];
    for (const signing of rsa) expect(await post(idp.answer({}, { signing }))).toBe(HONEST);
    const curve = await newKey('idp-ec', { type: 'ec', curve: 'P-256' });
    for (const algorithm of [`${more}ecdsa-sha256`, `${more}ecdsa-sha384`]) {
      const answer = idp.answer({}, { key: curve, signing: { algorithm } });
      expect(await post(answer, { certificates: [curve.certificate] })).toBe(HONEST);
      expect(await post(answer)).toBe('signature_invalid');
    }
    const mixed = idp.answer({}, { key: curve });
    expect(await post(mixed, { certificates: [curve.certificate] })).toBe('signature_invalid');
  });

  long('of any pinned certificate are accepted, and of a weak one never', async () => {
    const [next, weak] = await Promise.all([newKey('idp-next'), newKey('idp-weak', { bits: 1024 })]);
    const certificates = [idp.key.certificate, next.certificate, weak.certificate];
    const cases = { weak: idp.answer({}, { key: weak }) };
    expect(await refusals(cases, { certificates }, idp.answer({}, { key: next }))).toEqual({
      weak: 'signature_invalid',
    });
    expect(await post(idp.answer(), { certificates })).toBe(HONEST);
    expect(await post(idp.answer({}, { key: weak }), { certificates: [weak.certificate] })).toBe('signature_invalid');
    expect(await post(idp.answer(), { certificates: [next.certificate] })).toBe('signature_invalid');
  });
});

describe('contents', () => {
  it.each<[string, AnswerParts, string, Partial<SamlSettings>?]>([
    ['other issuer', { issuer: 'https://evil.example' }, 'issuer_mismatch'],
    ['issuer with a blank of another alphabet', { issuer: '\u2003https://idp.example.com/saml' }, 'issuer_mismatch'],
    ['no issuer in the Response', { responseIssuer: null }, 'accepted'],
    ['other issuer of the Response', { responseIssuer: 'https://evil.example' }, 'issuer_mismatch'],
    ['other audience', { audience: 'https://other.example' }, 'audience_mismatch'],
    ['audience that begins alike', { audience: `${SP.entityId}/x` }, 'audience_mismatch'],
    ['no audience', { audience: null }, 'audience_mismatch'],
    ['other recipient', { recipient: 'https://other.example/acs' }, 'recipient_mismatch'],
    ['other connection', { recipient: `${SP.acs}-2` }, 'recipient_mismatch'],
    ['no recipient', { recipient: null }, 'recipient_mismatch'],
    ['other destination', { destination: 'https://other.example/acs' }, 'destination_mismatch'],
    ['empty destination', { destination: '' }, 'destination_mismatch'],
    ['no destination, Response not signed', { destination: null }, 'accepted'],
    ['no destination, Response signed', { destination: null }, 'destination_mismatch', { signed: 'response' }],
    ['other InResponseTo', { inResponseTo: '_other' }, 'in_response_to_mismatch'],
    ['other InResponseTo of the assertion', { subjectInResponseTo: '_other' }, 'in_response_to_mismatch'],
    ['no InResponseTo of the assertion', { subjectInResponseTo: null }, 'in_response_to_mismatch'],
    ['the same in a signed Response', { subjectInResponseTo: null }, 'accepted', { signed: 'response' }],
    ['no InResponseTo of the Response', { responseInResponseTo: null }, 'in_response_to_mismatch'],
    ['status not success', { status: 'urn:oasis:names:tc:SAML:2.0:status:Responder' }, 'status_not_success'],
    ['Version 1.1', { version: '1.1' }, 'structure_refused'],
    ['Version 1.1 of the assertion', { assertionVersion: '1.1' }, 'structure_refused'],
    ['no AuthnStatement', { authnXml: '' }, 'structure_refused'],
    ['no Conditions', { conditionsXml: '' }, 'structure_refused'],
    ['no SubjectConfirmation', { confirmationXml: '' }, 'structure_refused'],
    ['other confirmation method', { method: 'urn:oasis:names:tc:SAML:2.0:cm:sender-vouches' }, 'structure_refused'],
    ['confirmation without NotOnOrAfter', { confirmationNotOnOrAfter: null }, 'structure_refused'],
    ['no NameID', { nameIdXml: '' }, 'name_id_missing'],
    ['empty NameID', { nameId: '' }, 'name_id_missing'],
    ['blank NameID', { nameId: ' ' }, 'name_id_missing'],
    ['transient', { nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' }, 'name_id_missing'],
    ['encrypted NameID', { nameIdXml: '<saml:EncryptedID/>' }, 'name_id_missing'],
    ['expired', { notOnOrAfter: '2020-01-01T00:00:00Z' }, 'assertion_expired'],
    ['not yet valid', { notBefore: '2999-01-01T00:00:00Z' }, 'assertion_not_yet_valid'],
    ['confirmation expired', { confirmationNotOnOrAfter: '2020-01-01T00:00:00Z' }, 'assertion_expired'],
    ['made long ago', { issueInstant: '2020-01-01T00:00:00Z' }, 'assertion_expired'],
    ['session over', { sessionNotOnOrAfter: '2020-01-01T00:00:00Z' }, 'assertion_expired'],
    ['weak sign-in', { authnContext: 'urn:x:password' }, 'authentication_too_weak', { authnContexts: ['urn:x:mfa'] }],
    ['strong sign-in', { authnContext: 'urn:x:mfa' }, 'accepted', { authnContexts: ['urn:x:mfa'] }],
    [
      'an attribute called __proto__',
      {
        attributesXml:
          '<saml:AttributeStatement><saml:Attribute Name="__proto__"><saml:AttributeValue>x</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>',
      },
      'accepted',
    ],
    [
      'white space around issuer and audience',
      {
        issuer: `\n https://idp.example.com/saml\n `,
        responseIssuer: ` https://idp.example.com/saml `,
        audience: `\n ${SP.entityId}\n `,
      },
      'accepted',
    ],
    [
      'white space around them, both signed',
      {
        issuer: `\n https://idp.example.com/saml\n `,
        responseIssuer: ` https://idp.example.com/saml `,
        audience: `\n ${SP.entityId}\n `,
      },
      'accepted',
      { signed: 'both' },
    ],
    ['white space around another audience', { audience: ` ${SP.entityId}/evil ` }, 'audience_mismatch'],
    ['another blank around the audience', { audience: `\u00a0${SP.entityId}` }, 'audience_mismatch'],
  ])('%s', async (_name, parts, expected, connection = {}) => {
    const sign = connection.signed ?? 'assertion';
    const honest = idp.answer(connection.authnContexts ? { authnContext: 'urn:x:mfa' } : {}, { sign });
    const cases = { case: idp.answer(parts, { sign }) };
    expect(await refusals(cases, connection, honest)).toEqual({ case: expected === 'accepted' ? HONEST : expected });
  });

  it('unsolicited answers are refused unless the connection allows them', async () => {
    const form = idp.form({ inResponseTo: null });
    const allowed = idp.connection({ allowIdpInitiated: true });
    expect(await sp.outcome(allowed, form, null)).toBe(HONEST);
    expect(await sp.outcome(idp.connection(), form, null)).toBe('unsolicited');
    // One of them cannot replace the answer to a request, nor an answer one of them.
    expect(await sp.outcome(allowed, form)).toBe('in_response_to_mismatch');
    expect(await sp.outcome(allowed, idp.form(), null)).toBe('in_response_to_mismatch');
    expect(await sp.outcome(allowed, idp.form({ responseInResponseTo: null }), null)).toBe('in_response_to_mismatch');
    expect(await sp.outcome(allowed, form, null)).toBe(HONEST);
  });

  long('are checked by the clock of the service', async () => {
    const late = new Date(Date.now() - 3_600_000);
    const other = await samlSp({ now: () => late, monotonic: () => performance.now() });
    expect(await other.outcome(idp.connection(), idp.form({ now: late }))).toBe(HONEST);
    expect(await sp.outcome(idp.connection(), idp.form({ now: late }))).toBe('assertion_expired');
    expect(await other.outcome(idp.connection(), idp.form())).toBe('assertion_not_yet_valid');
    await other.close();
    expect(await sp.outcome(idp.connection(), idp.form())).toBe(HONEST);
  });

  it('have one mark of use for one assertion in every envelope', async () => {
    const signed = signElement(idp.assertion(), 'Assertion', idp.key);
    const once = async (responseId: string) => {
      const answer = sp.protocol.read(idp.form({ assertionXml: signed, responseId }, { sign: 'neither' }));
      return (await sp.protocol.verify(idp.connection(), answer, { requestId: SP.request })).once;
    };
    const [first, second] = [await once('_envelope-1'), await once('_envelope-2')];
    expect(first).toEqual(second);
    expect(first.id).toBe(`${idp.entityId} _assertion-1`);
    expect(first.until.getTime()).toBeGreaterThan(Date.now() + 300_000);
  });
});
