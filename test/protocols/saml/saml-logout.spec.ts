import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SamlKeyPair } from '../../../src/protocols/saml/saml-settings.js';
import type { ArrivedLogout } from '../../../src/protocols/saml/logout.js';
import type { BrowserStep } from '../../../src/protocols/saml/requests.js';
import { SamlRefused } from '../../../src/protocols/saml/saml-refused.js';
import { long } from '../../support/rounds.js';
import { samlIdp, SP, type SamlIdp } from './support/idp.js';
import { newKey } from './support/keys.js';
import { logoutForm, logoutQuery, logoutXml, type LogoutParts } from './support/logout.js';
import { samlSp, type SamlSp } from './support/protocol.js';
import { signElement } from './support/sign.js';

let sp: SamlSp;
let idp: SamlIdp;
let attacker: SamlKeyPair;
beforeAll(async () => {
  [sp, idp, attacker] = await Promise.all([samlSp(), samlIdp(), newKey('attacker')]);
});
afterAll(() => sp.close());

async function read(arrived: ArrivedLogout): Promise<string> {
  try {
    const message = await sp.protocol.readLogout(idp.connection(), arrived);
    return message.kind === 'request' ? `log out ${message.nameId}` : `answered ${message.inResponseTo}`;
  } catch (error) {
    if (error instanceof SamlRefused) return error.reason;
    throw error;
  }
}
const query = (rawQuery: string) => read({ binding: 'redirect', rawQuery });
const post = (form: ReadonlyMap<string, string>) => read({ binding: 'post', form });

describe('a logout message of the IdP', () => {
  long('is read in both bindings', async () => {
    const expected = {
      kind: 'request',
      id: '_logout-1',
      nameId: 'ada-1815',
      nameIdFormat: null,
      sessionIndexes: ['session-1', 'session-2'],
      relayState: 'state-1',
      issuedAt: expect.any(Date),
      once: { id: `${idp.entityId} _logout-1`, until: expect.any(Date) },
    };
    const parts = { sessionIndexes: ['session-1', 'session-2'] };
    const form = logoutForm('LogoutRequest', idp.key, parts);
    const rawQuery = logoutQuery('LogoutRequest', idp.key, parts);
    expect(await sp.protocol.readLogout(idp.connection(), { binding: 'post', form })).toEqual(expected);
    expect(await sp.protocol.readLogout(idp.connection(), { binding: 'redirect', rawQuery })).toEqual(expected);
    const answer = { kind: 'response', inResponseTo: '_ours-1', success: true, relayState: 'state-1' };
    for (const arrived of [
      { binding: 'post', form: logoutForm('LogoutResponse', idp.key) },
      { binding: 'redirect', rawQuery: logoutQuery('LogoutResponse', idp.key) },
    ] as const) {
      expect(await sp.protocol.readLogout(idp.connection(), arrived)).toEqual(answer);
    }
    const status = 'urn:oasis:names:tc:SAML:2.0:status:Responder';
    const failed = { binding: 'post', form: logoutForm('LogoutResponse', idp.key, { status }) } as const;
    expect(await sp.protocol.readLogout(idp.connection(), failed)).toMatchObject({ success: false });
  });

  it.each<[string, LogoutParts, string]>([
    ['other issuer', { issuer: 'https://evil.example' }, 'issuer_mismatch'],
    ['other destination', { destination: 'https://other.example/slo' }, 'destination_mismatch'],
    ['destination of sign-in', { destination: SP.acs }, 'destination_mismatch'],
    ['no destination', { destination: null }, 'destination_mismatch'],
    ['old', { issueInstant: new Date(Date.now() - 700_000).toISOString() }, 'assertion_expired'],
    ['of the future', { issueInstant: new Date(Date.now() + 700_000).toISOString() }, 'assertion_not_yet_valid'],
    ['expired', { notOnOrAfter: '2020-01-01T00:00:00Z' }, 'assertion_expired'],
    ['Version 1.1', { version: '1.1' }, 'structure_refused'],
    ['no NameID', { nameIdXml: '' }, 'name_id_missing'],
    ['a comment in the NameID', { nameIdXml: '<saml:NameID>ada<!--x-->-1815</saml:NameID>' }, 'structure_refused'],
    ['a document type', { nameIdXml: '<!DOCTYPE x>' }, 'dtd_refused'],
  ])('is refused, though signed: %s', async (_name, parts, reason) => {
    expect(await query(logoutQuery('LogoutRequest', idp.key))).toBe('log out ada-1815');
    expect(await query(logoutQuery('LogoutRequest', idp.key, parts))).toBe(reason);
    const broken = logoutXml('LogoutRequest', parts);
    if (!broken.includes('<!')) expect(await post(logoutForm('LogoutRequest', idp.key, parts))).toBe(reason);
    expect(await post(logoutForm('LogoutRequest', idp.key))).toBe('log out ada-1815');
  });

  it('is refused in a query that differs from the signed one', async () => {
    const honest = logoutQuery('LogoutRequest', idp.key);
    const other = new Map(logoutQuery('LogoutRequest', idp.key, { id: '_other' }).split('&').map((p) => p.split('=') as [string, string])); // prettier-ignore
    const signature = /&Signature=.*/.exec(honest)![0];
    const cases: [string, string, string][] = [
      ['unsigned', logoutQuery('LogoutRequest', null), 'signature_missing'],
      ['unsigned response', logoutQuery('LogoutResponse', null), 'signature_missing'],
      ['signature cut off', honest.replace(/&Signature=.*/, ''), 'signature_missing'],
      ['empty signature', honest.replace(/&Signature=.*/, '&Signature='), 'signature_missing'],
      ['no algorithm', honest.replace(/&SigAlg=[^&]*/, ''), 'signature_missing'],
      ['other key', logoutQuery('LogoutRequest', attacker), 'signature_invalid'],
      ['SHA-1', logoutQuery('LogoutRequest', idp.key, {}, 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'), 'algorithm_refused'], // prettier-ignore
      [
        'other message',
        honest.replace(/SAMLRequest=[^&]*/, `SAMLRequest=${other.get('SAMLRequest')}`),
        'signature_invalid',
      ],
      ['other RelayState', honest.replace('state%2d1', 'state-2'), 'signature_invalid'],
      ['same RelayState, written otherwise', honest.replace('state%2d1', 'state-1'), 'signature_invalid'],
      ['RelayState taken away', honest.replace('&RelayState=state%2d1', ''), 'signature_invalid'],
      ['request as response', honest.replace('SAMLRequest=', 'SAMLResponse='), 'signature_invalid'],
      ['both', `${honest}&SAMLResponse=x`, 'binding_refused'],
      ['message twice', `${honest}&SAMLRequest=${other.get('SAMLRequest')}`, 'binding_refused'],
      ['signature twice', honest + signature, 'binding_refused'],
      ['a name in disguise', `${honest}&SAML%52equest=x`, 'binding_refused'],
      ['a name in disguise alone', honest.replace('SAMLRequest', 'SAML%52equest'), 'binding_refused'],
      ['another encoding', `${honest}&SAMLEncoding=none`, 'binding_refused'],
      ['nothing', '', 'binding_refused'],
      ['broken escapes', honest.replace('SAMLRequest=', 'SAMLRequest=%zz'), 'message_malformed'],
    ];
    expect(await query(honest)).toBe('log out ada-1815');
    for (const [name, raw, reason] of cases) expect([name, await query(raw)]).toEqual([name, reason]);
    expect(await query(honest)).toBe('log out ada-1815');
    expect(await query(`lang=en&${honest}`)).toBe('log out ada-1815');
  });

  it('is read with a key on a curve, and only with an algorithm of the key', async () => {
    const curve = await newKey('idp-ec', { type: 'ec' });
    const connection = idp.connection({ certificates: [curve.certificate] });
    const read = (algorithm: string) =>
      sp.protocol.readLogout(connection, { binding: 'redirect', rawQuery: logoutQuery('LogoutRequest', curve, {}, algorithm) }); // prettier-ignore
    const more = 'http://www.w3.org/2001/04/xmldsig-more#';
    expect(await read(`${more}ecdsa-sha256`)).toMatchObject({ nameId: 'ada-1815' });
    await expect(read(`${more}rsa-sha256`)).rejects.toMatchObject({ reason: 'signature_invalid' });
  });

  it('is refused in a form that is not signed, not by the IdP, or wrapped', async () => {
    const honest = logoutForm('LogoutRequest', idp.key);
    const signed = Buffer.from(honest.get('SAMLRequest')!, 'base64').toString();
    const form = (xml: string) => new Map([['SAMLRequest', Buffer.from(xml).toString('base64')]]);
    const evil = logoutXml('LogoutRequest', { id: '_evil', nameIdXml: '<saml:NameID>mallory</saml:NameID>' });
    const cases: [string, Map<string, string>, string][] = [
      ['unsigned', logoutForm('LogoutRequest', null), 'signature_missing'],
      ['unsigned response', logoutForm('LogoutResponse', null), 'signature_missing'],
      ['other key', logoutForm('LogoutRequest', attacker), 'signature_invalid'],
      ['changed', form(signed.replace('ada-1815', 'mallory')), 'signature_invalid'],
      [
        'wrapped',
        form(evil.replace('</saml:Issuer>', `</saml:Issuer><samlp:Extensions>${signed}</samlp:Extensions>`)),
        'structure_refused',
      ],
      ['a Response instead', form(idp.answer()), 'structure_refused'],
      ['a signed Response instead', form(idp.answer({}, { sign: 'response' })), 'structure_refused'],
      [
        'a response as a request',
        form(signElement(logoutXml('LogoutResponse'), 'LogoutResponse', idp.key)),
        'structure_refused',
      ],
      ['both', new Map([...honest, ['SAMLResponse', 'x']]), 'binding_refused'],
      ['nothing', new Map(), 'binding_refused'],
    ];
    expect(await post(honest)).toBe('log out ada-1815');
    for (const [name, fields, reason] of cases) expect([name, await post(fields)]).toEqual([name, reason]);
    expect(await post(honest)).toBe('log out ada-1815');
  });

  long('is inflated up to a limit', async () => {
    const { createSign } = await import('node:crypto');
    const signedQuery = (message: Buffer) => {
      const signed = `SAMLRequest=${encodeURIComponent(message.toString('base64'))}&SigAlg=${encodeURIComponent('http://www.w3.org/2001/04/xmldsig-more#rsa-sha256')}`;
      const signature = createSign('sha256').update(signed).sign(idp.key.privateKey, 'base64');
      return `${signed}&Signature=${encodeURIComponent(signature)}`;
    };
    expect(await query(signedQuery(deflateRawSync(Buffer.alloc(64 * 1024 * 1024, 0x20))))).toBe('message_too_large');
    expect(await query(signedQuery(Buffer.from('not deflated')))).toBe('message_malformed');
    // What is inside is looked at as strictly as a form.
    const inside = (xml: string) => query(signedQuery(deflateRawSync(Buffer.from(xml))));
    expect(await inside(logoutXml('LogoutRequest'))).toBe('log out ada-1815');
    expect(await inside(logoutXml('LogoutResponse'))).toBe('structure_refused');
    expect(await inside(idp.answer())).toBe('structure_refused');
    const nested = idp.assertion().replace('ID="_assertion-1"', 'ID="_logout-1"');
    expect(await inside(logoutXml('LogoutRequest', { nameIdXml: nested }))).toBe('structure_refused');
    expect(await query(logoutQuery('LogoutRequest', idp.key))).toBe('log out ada-1815');
  });
});

describe('our own logout messages', () => {
  const session = {
    nameId: { value: 'ada-1815', format: 'urn:x:format', nameQualifier: 'q', spNameQualifier: null },
    sessionIndex: 'session-1',
  };

  it('are accepted by a strict receiver in both bindings', async () => {
    // The receiver is our own reader, with the roles exchanged.
    const mirror = idp.connection({ idpEntityId: SP.entityId, certificates: [sp.current.certificate] });
    for (const sloBinding of ['redirect', 'post'] as const) {
      const connection = idp.connection({ sloBinding, sloUrl: SP.slo });
      const request = await sp.protocol.logoutRequest(connection, session, 'state-1');
      const response = await sp.protocol.logoutResponse(connection, {
        inResponseTo: '_theirs-1',
        success: true,
        relayState: 'state-1',
      });
      expect(await sp.protocol.readLogout(mirror, arrived(request))).toMatchObject({
        kind: 'request',
        id: request.id,
        nameId: 'ada-1815',
        nameIdFormat: 'urn:x:format',
        sessionIndexes: ['session-1'],
        relayState: 'state-1',
      });
      expect(await sp.protocol.readLogout(mirror, arrived(response))).toEqual({
        kind: 'response',
        inResponseTo: '_theirs-1',
        success: true,
        relayState: 'state-1',
      });
    }
  });

  it('go to the address for answers or for requests', async () => {
    const mirror = idp.connection({ idpEntityId: SP.entityId, certificates: [sp.current.certificate] });
    const to = (step: BrowserStep): string => (step.kind === 'form' ? step.action : step.url.split('?')[0]!);
    for (const sloBinding of ['redirect', 'post'] as const) {
      const away = { sloBinding, sloUrl: 'https://idp.example.com/slo', sloResponseUrl: SP.slo };
      const connection = idp.connection(away);
      expect(to(await sp.protocol.logoutRequest(connection, session, 'state-1'))).toBe(away.sloUrl);
      const answer = { inResponseTo: '_theirs-1', success: true, relayState: 'state-1' };
      const response = await sp.protocol.logoutResponse(connection, answer);
      expect(to(response)).toBe(SP.slo);
      // Its Destination is that address, too.
      expect(await sp.protocol.readLogout(mirror, arrived(response))).toMatchObject({ inResponseTo: '_theirs-1' });
    }
  });

  it('have no RelayState when the request had none', async () => {
    const step = await sp.protocol.logoutResponse(idp.connection(), {
      inResponseTo: '_x',
      success: false,
      relayState: null,
    });
    const url = new URL((step as { url: string }).url);
    expect([...url.searchParams.keys()]).toEqual(['SAMLResponse', 'SigAlg', 'Signature']);
    const xml = inflateRawSync(Buffer.from(url.searchParams.get('SAMLResponse')!, 'base64')).toString();
    expect(xml).toContain('urn:oasis:names:tc:SAML:2.0:status:Requester');
  });
});

function arrived(
  step: { kind: 'redirect'; url: string } | { kind: 'form'; fields: Record<string, string> },
): ArrivedLogout {
  return step.kind === 'redirect'
    ? { binding: 'redirect', rawQuery: new URL(step.url).search.slice(1) }
    : { binding: 'post', form: new Map(Object.entries(step.fields)) };
}
