import { readAssertion, type Expectations } from '../../../src/protocols/saml/assertion.rules.js';
import { scanXml } from '../../../src/protocols/saml/xml-scan.js';
import { childrenOf } from '../../../src/protocols/saml/xml-tree.js';
import { NS } from '../../../src/protocols/saml/names.js';
import { SamlRefused } from '../../../src/protocols/saml/saml-refused.js';
import type { SamlSignIn } from '../../../src/protocols/saml/saml-settings.js';
import { samlIdp, SP, type AnswerParts, type SamlIdp } from './support/idp.js';

const now = new Date('2030-06-01T12:00:00.000Z');
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000);
const SKEW = 60;

let idp: SamlIdp;
beforeAll(async () => {
  idp = await samlIdp();
});

function read(parts: AnswerParts, changes: Partial<Expectations> = {}): SamlSignIn {
  const response = scanXml(idp.answer({ now, ...parts }, { sign: 'neither' }));
  return readAssertion(childrenOf(response, NS.assertion, 'Assertion')[0]!, response, {
    idpEntityId: idp.entityId,
    spEntityId: SP.entityId,
    acsUrl: SP.acs,
    requestId: SP.request,
    allowIdpInitiated: false,
    authnContexts: [],
    subjectClaim: null,
    responseSigned: false,
    now,
    skewMs: SKEW * 1000,
    ...changes,
  });
}

function reason(parts: AnswerParts, changes: Partial<Expectations> = {}): string {
  try {
    return `signed in: ${read(parts, changes).subject}`;
  } catch (error) {
    if (error instanceof SamlRefused) return error.reason;
    throw error;
  }
}

const GOOD = 'signed in: ada-1815';

describe('times at their limits', () => {
  const instants: [string, (moment: string) => AnswerParts, number, string, string][] = [
    ['NotBefore', (notBefore) => ({ notBefore }), SKEW, 'good', 'assertion_not_yet_valid'],
    ['NotOnOrAfter', (notOnOrAfter) => ({ notOnOrAfter }), -SKEW, 'assertion_expired', 'good'],
    [
      'of the confirmation',
      (confirmationNotOnOrAfter) => ({ confirmationNotOnOrAfter }),
      -SKEW,
      'assertion_expired',
      'good',
    ],
    // No skew here: a session that is over by our clock would be dead at once.
    ['SessionNotOnOrAfter', (sessionNotOnOrAfter) => ({ sessionNotOnOrAfter }), 0, 'assertion_expired', 'good'],
    ['IssueInstant ahead', (issueInstant) => ({ issueInstant }), SKEW, 'good', 'assertion_not_yet_valid'],
    ['IssueInstant behind', (issueInstant) => ({ issueInstant }), -600 - SKEW, 'assertion_expired', 'good'],
  ];
  it.each(instants)('%s', (_name, parts, edge, here, above) => {
    const outcome = (ms: number) =>
      reason(parts(new Date(at(edge).getTime() + ms).toISOString())).replace(GOOD, 'good');
    expect([outcome(0), outcome(1)]).toEqual([here, above]);
  });

  it('that cannot be read are refused', () => {
    for (const moment of ['soon', '2030-06-01T12:05:00', '2030-02-30T00:00:00Z', '']) {
      expect(reason({ notOnOrAfter: moment })).toBe('structure_refused');
      expect(reason({ confirmationNotOnOrAfter: moment })).toBe('structure_refused');
      expect(reason({ issueInstant: moment })).toBe('structure_refused');
      expect(reason({ sessionNotOnOrAfter: moment })).toBe('structure_refused');
    }
    expect(reason({})).toBe(GOOD);
  });

  it('give the time for which a use is remembered, and the end of the session', () => {
    const { once, sessionEnds } = read({ sessionNotOnOrAfter: at(3600).toISOString() });
    expect(once).toEqual({ id: `${idp.entityId} _assertion-1`, until: at(300 + SKEW) });
    expect(sessionEnds).toEqual(at(3600));
  });
});

describe('confirmations', () => {
  const bearer = (attributes: string) =>
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData ${attributes}/></saml:SubjectConfirmation>`;
  const until = `NotOnOrAfter="${at(300).toISOString()}"`;
  const good = bearer(`${until} Recipient="${SP.acs}" InResponseTo="${SP.request}"`);

  it('need one valid entry', () => {
    expect(reason({ confirmationXml: bearer(`${until} Recipient="https://other.example"`) + good })).toBe(GOOD);
    expect(reason({ confirmationXml: '<saml:SubjectConfirmation Method="urn:x"/>' + good })).toBe(GOOD);
  });

  it('are not valid by parts of several entries', () => {
    const parts = bearer(`${until} Recipient="https://other.example" InResponseTo="${SP.request}"`) +
      bearer(`${until} Recipient="${SP.acs}" InResponseTo="_other"`); // prettier-ignore
    expect(reason({ confirmationXml: parts })).toBe('recipient_mismatch');
  });

  it('must not begin later', () => {
    expect(reason({ confirmationNotBefore: at(-300).toISOString() })).toBe('structure_refused');
    expect(reason({ confirmationXml: '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"/>' })).toBe('structure_refused'); // prettier-ignore
  });
});

describe('conditions', () => {
  const conditions = (inner: string) => `<saml:Conditions>${inner}</saml:Conditions>`;
  const audience = (...names: string[]) =>
    `<saml:AudienceRestriction>${names.map((one) => `<saml:Audience>${one}</saml:Audience>`).join('')}</saml:AudienceRestriction>`;

  it.each([
    ['one of several audiences', audience('urn:other', SP.entityId), GOOD],
    ['every restriction', audience(SP.entityId) + audience(SP.entityId, 'urn:other'), GOOD],
    ['not every restriction', audience(SP.entityId) + audience('urn:other'), 'audience_mismatch'],
    ['an empty restriction', audience(), 'audience_mismatch'],
    ['white space around it', audience(`\n\t ${SP.entityId} \r\n`), GOOD],
    ['white space within it', audience(SP.entityId.replace('/api', '/ api')), 'audience_mismatch'],
    ['a blank of another alphabet', audience(`\u00a0${SP.entityId}`), 'audience_mismatch'],
    ['a zero-width blank', audience(`${SP.entityId}\u200b`), 'audience_mismatch'],
    ['two names in one audience', audience(`urn:other ${SP.entityId}`), 'audience_mismatch'],
    ['another case', audience(SP.entityId.toUpperCase()), 'audience_mismatch'],
    ['a longer one', audience(`${SP.entityId}.evil.example`), 'audience_mismatch'],
    ['a condition that is known', `${audience(SP.entityId)}<saml:OneTimeUse/>`, GOOD],
    ['a condition that is not', `${audience(SP.entityId)}<saml:Condition/>`, 'structure_refused'],
  ])('%s', (_name, inner, expected) => {
    expect(reason({ conditionsXml: conditions(inner) })).toBe(expected);
  });

  it('are refused when they are repeated', () => {
    const once = conditions(audience(SP.entityId));
    expect(reason({ conditionsXml: once + once })).toBe('structure_refused');
    expect(reason({ conditionsXml: once })).toBe(GOOD);
  });
});

describe('the values of an assertion', () => {
  it('are a NameID with its attributes', () => {
    const nameIdXml = '<saml:NameID Format="urn:f" NameQualifier="q" SPNameQualifier="s">Ada &amp; Co</saml:NameID>';
    expect(read({ nameIdXml }).nameId).toEqual({ value: 'Ada & Co', format: 'urn:f', nameQualifier: 'q', spNameQualifier: 's' }); // prettier-ignore
    expect(reason({ nameIdXml: nameIdXml + nameIdXml })).toBe('name_id_missing');
    expect(reason({ nameId: 'x'.repeat(256) })).toBe(`signed in: ${'x'.repeat(256)}`);
    expect(reason({ nameId: 'x'.repeat(257) })).toBe('name_id_missing');
  });

  it('are attributes as claims, in an object without a prototype', () => {
    const attribute = (name: string, values: string, friendly = '') =>
      `<saml:Attribute Name="${name}"${friendly && ` FriendlyName="${friendly}"`}>${values}</saml:Attribute>`;
    const value = (text: string) => `<saml:AttributeValue>${text}</saml:AttributeValue>`;
    const { claims, unsureNames } = read({
      attributesXml: `<saml:AttributeStatement>${[
        attribute('urn:mail', value('ada@example.com'), 'mail'),
        attribute('mail', value('name wins'), 'hasOwnProperty'),
        attribute('groups', value('a')),
        attribute('groups', value('b') + value('c')),
        attribute('empty', ''),
        attribute('blank', value('')),
        attribute('nested', value('<saml:NameID>inner</saml:NameID>')),
        attribute('other', value('<x/>')),
        attribute('toString', value('own')),
      ].join('')}</saml:AttributeStatement>`,
    });
    expect(Object.getPrototypeOf(claims)).toBeNull();
    expect({ ...claims }).toEqual({
      'urn:mail': 'ada@example.com',
      mail: 'name wins',
      hasOwnProperty: 'name wins',
      groups: ['a', 'b', 'c'],
      blank: '',
      nested: 'inner',
      toString: 'own',
    });
    // An attribute is identified by its Name alone (Core §2.7.3.1); `mail` is one as well.
    expect(unsureNames).toEqual(new Set(['hasOwnProperty']));
    expect(reason({ attributesXml: '' })).toBe(GOOD);
  });

  it('leave out attributes that are too large or oddly named, and keep the others', () => {
    const attribute = (name: string, values: string[], friendly = 'f') =>
      `<saml:Attribute Name="${name}" FriendlyName="${friendly}">${values
        .map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`)
        .join('')}</saml:Attribute>`;
    const long = 'x'.repeat(16_385);
    const { claims, unsureNames, leftOut } = read({
      attributesXml: `<saml:AttributeStatement>${[
        attribute('__proto__', ['x'], 'constructor'),
        attribute('prototype', ['x'], '__proto__'),
        attribute('n'.repeat(1025), ['x'], 'long'),
        attribute('photo', [long], 'mail'),
        // Of several values none is left: a name must not become the only one because the other is too long.
        attribute('uid', ['victim', long], 'u'),
        attribute('role', ['admin'], 'r'),
        attribute('role', [long], 'r'),
        attribute('good', ['kept'], 'g'),
      ].join('')}</saml:AttributeStatement>`,
    });
    expect(Object.getPrototypeOf(claims)).toBeNull();
    expect({ ...claims }).toEqual({ long: 'x', good: 'kept', g: 'kept' });
    expect(unsureNames).toEqual(new Set(['long', 'g']));
    expect(leftOut).toEqual([
      '__proto__: its name is reserved',
      'prototype: its name is reserved',
      `${'n'.repeat(100)}: its name has more than 1024 characters`,
      'photo: a value has more than 16384 bytes',
      'uid: a value has more than 16384 bytes',
      'role: a value has more than 16384 bytes',
    ]);
  });

  it.each<[string, (text: string) => string]>([
    ['line ends', (text) => `\n  ${text}\n  `],
    ['a tab and a carriage return', (text) => `\t${text}&#13;`],
  ])('are an issuer with %s around it', (_name, around) => {
    const issuer = around(idp.entityId);
    expect(reason({ issuer, responseIssuer: issuer })).toBe(GOOD);
    expect(reason({ issuer: around(`${idp.entityId}.evil`) })).toBe('issuer_mismatch');
    expect(reason({ issuer: around(idp.entityId.replace('/saml', ' /saml')) })).toBe('issuer_mismatch');
    expect(reason({ issuer: `\u00a0${idp.entityId}` })).toBe('issuer_mismatch');
    const authnContext = around('urn:x:mfa');
    expect(reason({ authnContext }, { authnContexts: ['urn:x:mfa'] })).toBe(GOOD);
    expect(reason({ authnContext }, { authnContexts: ['urn:x'] })).toBe('authentication_too_weak');
  });

  describe('the attribute that is the subject', () => {
    const TRANSIENT = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';
    const attribute = (name: string, ...values: string[]) =>
      `<saml:Attribute ${name}>${values.map((one) => `<saml:AttributeValue>${one}</saml:AttributeValue>`).join('')}</saml:Attribute>`;
    const outcome = (...attributes: string[]) =>
      reason(
        { nameIdFormat: TRANSIENT, attributesXml: `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>` },
        { subjectClaim: 'urn:uid' },
      ); // prettier-ignore

    it('replaces the NameID, transient or not', () => {
      expect(outcome(attribute('Name="urn:uid"', 'u-1'))).toBe('signed in: u-1');
      // eduPersonTargetedID holds a NameID.
      expect(outcome(attribute('Name="urn:uid"', '<saml:NameID>u-2</saml:NameID>'))).toBe('signed in: u-2');
      const attributesXml = `<saml:AttributeStatement>${attribute('Name="urn:uid"', 'u-1')}</saml:AttributeStatement>`;
      const { subject, nameId } = read({ attributesXml }, { subjectClaim: 'urn:uid' });
      expect([subject, nameId.value]).toEqual(['u-1', 'ada-1815']);
    });

    it.each<[string, string[]]>([
      ['is missing', []],
      ['is of another name', [attribute('Name="urn:UID"', 'u-1')]],
      ['came by its FriendlyName alone', [attribute('Name="urn:other" FriendlyName="urn:uid"', 'u-1')]],
      ['has two values', [attribute('Name="urn:uid"', 'u-1', 'u-2')]],
      ['came twice', [attribute('Name="urn:uid"', 'u-1'), attribute('Name="urn:uid"', 'u-2')]],
      ['came twice, once too long', [attribute('Name="urn:uid"', 'u-1'), attribute('Name="urn:uid"', 'x'.repeat(16_385))]],
      ['has no value', [attribute('Name="urn:uid"')]],
      ['is empty', [attribute('Name="urn:uid"', '')]],
      ['is blank', [attribute('Name="urn:uid"', ' \n')]],
      ['has lost a letter', [attribute('Name="urn:uid"', 'J\ufffdrg')]],
      ['is longer than a name', [attribute('Name="urn:uid"', 'u'.repeat(257))]],
    ])('refuses %s as the subject', (_name, attributes) => {
      expect(outcome(...attributes)).toBe('name_id_missing');
    }); // prettier-ignore

    it('refuses a transient NameID without such an attribute', () => {
      expect(reason({ nameIdFormat: TRANSIENT })).toBe('name_id_missing');
    });
  });

  it('are the issuer only as an entity', () => {
    const xml = (format: string) => idp.answer({ now }, { sign: 'neither' }).replace(/<saml:Issuer>/g, `<saml:Issuer Format="${format}">`); // prettier-ignore
    const outcome = (format: string) => {
      const response = scanXml(xml(format));
      try {
        const expected = { idpEntityId: idp.entityId, spEntityId: SP.entityId, acsUrl: SP.acs, requestId: SP.request, allowIdpInitiated: false, authnContexts: [], subjectClaim: null, responseSigned: false, now, skewMs: 0 }; // prettier-ignore
        return readAssertion(childrenOf(response, NS.assertion, 'Assertion')[0]!, response, expected).subject;
      } catch (error) {
        return (error as SamlRefused).reason;
      }
    };
    expect(outcome('urn:oasis:names:tc:SAML:2.0:nameid-format:entity')).toBe('ada-1815');
    expect(outcome('urn:oasis:names:tc:SAML:1.1:nameid-format:X509SubjectName')).toBe('issuer_mismatch');
  });
});

it.each<[string, string[], string | null]>([
  ['one statement', ['2030-06-01T11:00:00Z'], '2030-06-01T11:00:00.000Z'],
  ['the latest of several', ['2030-06-01T11:00:00Z', '2030-06-01T13:30:00+02:00'], '2030-06-01T11:30:00.000Z'],
  ['none that can be read', ['soon'], null],
])('reads AuthnInstant of %s', (_, instants, expected) => {
  const authnXml = instants.map((instant) => `<saml:AuthnStatement AuthnInstant="${instant}"/>`).join('');
  expect(read({ authnXml }).authenticatedAt?.toISOString() ?? null).toBe(expected);
});
