import { createSign } from 'node:crypto';
import { signatureExcerpt } from '../../../src/protocols/saml/signature-form.rules.js';
import { decodeUtf8, scanXml } from '../../../src/protocols/saml/xml-scan.js';
import { childrenOf } from '../../../src/protocols/saml/xml-tree.js';
import { NS } from '../../../src/protocols/saml/names.js';
import type { SignatureJob } from '../../../src/protocols/saml/signature-verifier.js';
import type { SamlKeyPair } from '../../../src/protocols/saml/saml-settings.js';
import { formOf, samlIdp, SP, type SamlIdp } from './support/idp.js';
import { newKey } from './support/keys.js';
import { logoutForm } from './support/logout.js';
import { samlSp, type SamlSp } from './support/protocol.js';
import { EXC_C14N, signElement } from './support/sign.js';

let sp: SamlSp;
let idp: SamlIdp;
let attacker: SamlKeyPair;
beforeAll(async () => {
  [sp, idp, attacker] = await Promise.all([samlSp(), samlIdp(), newKey('attacker')]);
});
afterAll(() => sp.close());

const HONEST = 'signed in: ada-1815';
const heavy = { extensionsXml: `<samlp:Extensions>${'<x/>'.repeat(1_400)}</samlp:Extensions>` };

it('messages of one connection do not delay those of another', async () => {
  const other = await samlIdp('https://other.example.com/saml');
  const evil = other.connection({ tenantId: 'tnt_2', id: 'con_2' });
  const loud = other.form(heavy, { sign: 'both' });
  const form = idp.form();
  // Both threads run.
  await Promise.all([1, 2, 3, 4].map(() => sp.outcome(idp.connection(), form)));
  const outcomes: string[] = [];
  const flood = Promise.all(
    Array.from({ length: 300 }, async () => outcomes.push(await sp.outcome(evil, loud, SP.request))),
  );
  expect(await sp.outcome(idp.connection(), form)).toBe(HONEST);
  // At most those under way and the one that had its turn before; the others are refused at once or still wait.
  expect(outcomes.filter((one) => one === HONEST).length).toBeLessThanOrEqual(5);
  await flood;
  expect(outcomes.filter((one) => one === HONEST).length).toBeLessThanOrEqual(22);
  expect(outcomes).toContain('too_many_tries');
  // On a busy machine a message takes longer than the deadline of its check.
  const expected = new Set([HONEST, 'too_many_tries', 'message_too_large']);
  expect(outcomes.filter((one) => !expected.has(one))).toEqual([]);
  expect(await sp.outcome(evil, other.form())).toBe(HONEST);
});

it('a forgery is refused by its signature alone, with a message of any size', async () => {
  const jobs: SignatureJob[] = [];
  const verify = sp.verifier.verify.bind(sp.verifier);
  sp.verifier.verify = (owner, job) => {
    jobs.push(job);
    return verify(owner, job);
  };
  const [signed, forged] = [idp.form(heavy, { sign: 'both' }), idp.form(heavy, { key: attacker, sign: 'both' })];
  try {
    expect(await sp.outcome(idp.connection(), signed)).toBe(HONEST);
    expect(await sp.outcome(idp.connection(), forged)).toBe('signature_invalid');
  } finally {
    sp.verifier.verify = verify;
  }
  const [good, bad] = jobs as [SignatureJob, SignatureJob];
  for (const { signatures } of jobs) {
    expect(signatures).toHaveLength(2);
    expect(signatures.map(({ excerpt }) => excerpt).join('').length).toBeLessThan(signatures[0]!.xml.length / 2);
  }
  const refused = { signed: null, signers: [] };
  expect((await verify(idp.connection(), good)).signed).toHaveLength(2);
  expect(await verify(idp.connection(), bad)).toEqual(refused);
  // With a message that takes longer than the deadline, the forged signature is refused by its excerpt; the good one is not.
  const slow = `<x>${'<y><z/></y>'.repeat(60_000)}</x>`;
  const within = ({ certificates, signatures }: SignatureJob) => {
    return verify(idp.connection(), { certificates, signatures: signatures.map((one) => ({ ...one, xml: slow })) });
  };
  expect(await within(bad)).toEqual(refused);
  await expect(within(good)).rejects.toMatchObject({ reason: 'message_too_large' });
});

/** Signs SignedInfo again, with a prefix that counts although nothing in it uses it (XML-EXC-C14N §4). */
function withPrefixList(signed: string): string {
  const list = `<ec:InclusiveNamespaces xmlns:ec="${EXC_C14N}" PrefixList="xs"></ec:InclusiveNamespaces>`;
  const info = /<ds:SignedInfo>.*<\/ds:SignedInfo>/
    .exec(signed)![0]
    .replace(/<([^\s<>/]+)([^<>]*)\/>/g, '<$1$2></$1>')
    .replace('</ds:CanonicalizationMethod>', `${list}</ds:CanonicalizationMethod>`);
  const octets = info.replace(
    '<ds:SignedInfo>',
    '<ds:SignedInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#" xmlns:xs="http://www.w3.org/2001/XMLSchema">',
  );
  const value = createSign('sha256').update(octets).sign(idp.key.privateKey, 'base64');
  return signed.replace(/<ds:SignedInfo>.*<\/ds:SignedInfo>/, info).replace(/(<ds:SignatureValue>)[^<]*/, `$1${value}`);
}

describe('the early check of a signature', () => {
  const job = (xml: string, excerpts: string[]) => ({
    signatures: excerpts.map((each) => ({ xml, excerpt: each })),
    certificates: [attacker.certificate, idp.key.certificate],
  });
  const excerpt = (xml: string) => signatureExcerpt(childrenOf(scanXml(xml), NS.assertion, 'Assertion')[0]!);

  it('accepts nothing without an open request', async () => {
    const honest = idp.answer();
    const stranger = idp.answer({}, { key: await newKey('stranger') });
    const verify = async (xml: string, signatures: string[]) =>
      (await sp.verifier.verify(idp.connection(), job(xml, signatures))).signed !== null;
    expect(await verify(honest, [excerpt(honest)])).toBe(true);
    expect(await verify(stranger, [excerpt(honest)])).toBe(false);
    expect(await verify(honest.replace('ada-1815', 'mallory'), [excerpt(honest)])).toBe(false);
    // A signature of one pinned certificate does not make another one's out of the message's own.
    expect(await verify(honest, [excerpt(idp.answer({}, { key: attacker }))])).toBe(false);
    expect(await verify(honest, [excerpt(stranger)])).toBe(false);
    expect(await verify(honest, [excerpt(honest), excerpt(stranger)])).toBe(false);
    expect(await verify(honest, [])).toBe(false);
    expect(await verify(honest, ['<x/>'])).toBe(false);
    expect(await verify(honest, [excerpt(honest)])).toBe(true);
  });

  it('takes the same time for a message of any size', () => {
    const signed = idp.answer(heavy, { sign: 'response' });
    const stuffed = signed.replace('<ds:X509Data>', `<ds:X509Data>${'<ds:X509Certificate/>'.repeat(1000)}`);
    expect(signatureExcerpt(scanXml(stuffed))).toBe(signatureExcerpt(scanXml(signed)));
    expect(signatureExcerpt(scanXml(stuffed)).length).toBeLessThan(3000);
    const parameters = signed.replace(/(<ds:DigestMethod [^>]*)\/>/, '$1><x/></ds:DigestMethod>');
    expect(() => sp.protocol.read(formOf(parameters))).toThrow('a DigestMethod with parameters');
  });

  it('agrees with the library for each declaration of namespaces', async () => {
    const redeclared = (xml: string) => xml.replace('<saml:Assertion ', '<saml:Assertion xmlns="urn:&quot;a&amp;b" ');
    const listed = idp.answer(
      { assertionXml: withPrefixList(signElement(idp.assertion(), 'Assertion', idp.key)) },
      { sign: 'neither' },
    );
    expect(await sp.outcome(idp.connection(), formOf(listed))).toBe(HONEST);
    for (const assertionXml of [
      signElement(redeclared(idp.assertion()), 'Assertion', idp.key),
      signElement(idp.assertion(), 'Assertion', idp.key).replace(/\n/g, '\r\n'),
      signElement(idp.assertion().replace(/saml:/g, '').replace('xmlns:saml', 'xmlns'), 'Assertion', idp.key),
    ]) {
      const outer = idp.answer({ assertionXml }, { sign: 'neither' });
      expect(await sp.outcome(idp.connection(), formOf(outer))).toBe(HONEST);
      expect(await sp.outcome(idp.connection({ signed: 'both' }), formOf(signElement(outer, 'Response', idp.key)))).toBe(HONEST); // prettier-ignore
    }
  });

  it('is made for logout messages too', async () => {
    const logout = (key: SamlKeyPair) =>
      sp.protocol.readLogout(idp.connection(), { binding: 'post', form: logoutForm('LogoutRequest', key) });
    expect((await logout(idp.key)).kind).toBe('request');
    await expect(logout(attacker)).rejects.toMatchObject({ reason: 'signature_invalid' });
    const xml = decodeUtf8(Buffer.from(logoutForm('LogoutRequest', idp.key).get('SAMLRequest')!, 'base64'));
    const { signed } = await sp.verifier.verify(idp.connection(), {
      signatures: [{ xml: xml.replace('ada-1815', 'mallory'), excerpt: signatureExcerpt(scanXml(xml)) }],
      certificates: [idp.key.certificate],
    });
    expect(signed).toBeNull();
  });
});
