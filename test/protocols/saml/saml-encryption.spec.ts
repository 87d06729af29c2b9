import { formOf, samlIdp, type AnswerParts, type AnswerShape, type SamlIdp } from './support/idp.js';
import { newKey } from './support/keys.js';
import { samlSp, type SamlSp } from './support/protocol.js';
import { encryptElement } from './support/encrypt.js';
import type { SamlSettings } from '../../../src/protocols/saml/saml-settings.js';
import { long } from '../../support/rounds.js';
import { signElement } from './support/sign.js';

let sp: SamlSp;
let idp: SamlIdp;
beforeAll(async () => {
  [sp, idp] = await Promise.all([samlSp(), samlIdp()]);
});
afterAll(() => sp.close());

const HONEST = 'signed in: ada-1815';

function post(shape: AnswerShape, connection: Partial<SamlSettings> = {}, parts: AnswerParts = {}): Promise<string> {
  const xml = idp.answer(parts, { encryptTo: sp.current, ...shape });
  return sp.outcome(idp.connection(connection), formOf(xml));
}

/** Posts an EncryptedAssertion around any text, in a Response that is not signed. */
function around(plain: string): Promise<string> {
  return post({ sign: 'neither' }, {}, { assertionXml: plain });
}

describe('encrypted assertions', () => {
  it.each<[string, AnswerShape, Partial<SamlSettings>?]>([
    ['AES-256-GCM', {}],
    ['AES-192-GCM', { encryption: { cipher: 'aes192-gcm' } }],
    ['AES-128-GCM', { encryption: { cipher: 'aes128-gcm' } }],
    ['OAEP with SHA-256', { encryption: { transport: 'rsa-oaep', digest: 'sha256', mask: 'sha256' } }],
    ['OAEP with SHA-256 under the mask of SHA-1', { encryption: { digest: 'sha256' } }],
    ['OAEP of XML Encryption 1.1 without a mask', { encryption: { transport: 'rsa-oaep', digest: 'sha256' } }],
    ['OAEP with SHA-1 under the mask of SHA-512', { encryption: { transport: 'rsa-oaep', mask: 'sha512' } }],
    ['OAEP with SHA-384 and SHA-256', { encryption: { transport: 'rsa-oaep', digest: 'sha384', mask: 'sha256' } }],
    ['the key beside the data', { encryption: { keyBeside: true } }],
    ['the Response signed around it', { sign: 'response' }, { signed: 'response' }],
    ['both signed', { sign: 'both' }, { signed: 'both' }],
    ['AES-CBC in a signed Response', { sign: 'both', encryption: { cipher: 'aes256-cbc' } }],
    [
      'AES-CBC in a Response signed alone',
      { sign: 'response', encryption: { cipher: 'aes128-cbc' } },
      { signed: 'response' },
    ],
  ])('are accepted: %s', async (_name, shape, connection = {}) => {
    expect(await post(shape, connection)).toBe(HONEST);
  });

  it('are decrypted with the older key too while keys roll over, and with no other key', async () => {
    expect(await post({ encryptTo: sp.older })).toBe(HONEST);
    expect(await post({ encryptTo: await newKey('another') })).toBe('decryption_failed');
    expect(await post({ encryptTo: sp.current })).toBe(HONEST);
  });

  it.each<[string, AnswerShape, string, Partial<SamlSettings>?]>([
    ['RSA 1.5', { encryption: { transport: 'rsa-1_5' } }, 'algorithm_refused'],
    ['AES-CBC in an unsigned Response', { encryption: { cipher: 'aes256-cbc' } }, 'algorithm_refused'],
    ['not signed inside', { sign: 'neither' }, 'signature_missing'],
    ['not signed inside, Response wanted', { sign: 'neither' }, 'signature_missing', { signed: 'response' }],
    ['signed inside, Response wanted', { sign: 'assertion' }, 'signature_missing', { signed: 'response' }],
    ['signed outside, assertion wanted', { sign: 'response' }, 'signature_missing'],
    ['signed outside, both wanted', { sign: 'response' }, 'signature_missing', { signed: 'both' }],
    ['changed on the way', { encryption: { spoil: true } }, 'decryption_failed'],
    [
      'another digest than the named one',
      { encryption: { digest: 'sha256', namedDigest: 'sha1' } },
      'decryption_failed',
    ],
    [
      'another digest than the named one, of two hashes',
      { encryption: { digest: 'sha256', namedDigest: 'sha512' } },
      'decryption_failed',
    ],
  ])('are refused: %s', async (_name, shape, reason, connection = {}) => {
    const honest: AnswerShape = { sign: connection.signed ?? 'assertion' };
    expect(await post(honest, connection)).toBe(HONEST);
    expect(await post(shape, connection)).toBe(reason);
    expect(await post(honest, connection)).toBe(HONEST);
  });

  long('by another key are refused', async () => {
    const attacker = await newKey('attacker');
    expect(await post({ key: attacker })).toBe('signature_invalid');
    // The padding of CBC is not even looked at before the signature around it holds.
    const cbc: AnswerShape = { key: attacker, sign: 'both', encryption: { cipher: 'aes256-cbc' } };
    expect(await post(cbc)).toBe('signature_invalid');
    expect(await post({ ...cbc, encryption: { cipher: 'aes256-cbc', spoil: true } })).toBe('signature_invalid');
    expect(await post({ sign: 'both', encryption: { cipher: 'aes256-cbc' } })).toBe(HONEST);
  });

  it('are checked as strictly as plain ones', async () => {
    const signed = signElement(idp.assertion(), 'Assertion', idp.key);
    const evil = idp.assertion({ nameId: 'mallory', assertionId: '_evil' });
    expect(await around(signed)).toBe(HONEST);
    const cases: [string, string][] = [
      [`<!DOCTYPE a>${signed}`, 'dtd_refused'],
      [signed.replace('ada-1815', 'ada<!--x-->-1815'), 'structure_refused'],
      ['<a/>'.repeat(5000), 'message_malformed'],
      [`<a>${'<a/>'.repeat(5000)}</a>`, 'message_too_large'],
      ['not XML', 'message_malformed'],
      [evil, 'signature_missing'],
      [evil.replace('</saml:Assertion>', `<saml:Advice>${signed}</saml:Advice></saml:Assertion>`), 'structure_refused'],
      [signed.replace('_assertion-1', '_response-1').replace('#_assertion-1', '#_response-1'), 'structure_refused'],
      [idp.answer(), 'structure_refused'],
      [encryptElement(signed, sp.current), 'structure_refused'],
    ];
    for (const [plain, reason] of cases)
      expect([plain.slice(0, 40), await around(plain)]).toEqual([plain.slice(0, 40), reason]);
    expect(await around(signed)).toBe(HONEST);
  });
});
