import { readFileSync } from 'node:fs';
import path from 'node:path';
import { demandSignedMetadata } from '../../../src/protocols/saml/metadata-signature.js';
import { MetadataProblem } from '../../../src/protocols/saml/metadata.rules.js';
import type { SamlKeyPair } from '../../../src/protocols/saml/saml-settings.js';
import { SamlVerifier } from '../../../src/protocols/saml/signature-verifier.js';
import { long } from '../../support/rounds.js';
import { newKey } from './support/keys.js';
import { signElement, type SignOptions } from './support/sign.js';

const OWNER = { tenantId: 'ten_1', id: 'con_1' };
const PLAIN = readFileSync(path.join(import.meta.dirname, 'metadata/okta.xml'), 'utf8').replace(
  '<md:EntityDescriptor ',
  '<md:EntityDescriptor ID="_m1" ',
);

let federation: SamlKeyPair;
let stranger: SamlKeyPair;
let verifier: SamlVerifier;
beforeAll(async () => {
  [federation, stranger] = await Promise.all([newKey('federation'), newKey('stranger')]);
  verifier = new SamlVerifier();
});
afterAll(() => verifier.close());

const signed = (key = federation, options: SignOptions = {}): string =>
  signElement(PLAIN, 'EntityDescriptor', key, { first: true, ...options });
const demand = (xml: string, certificates = [federation.certificate]): Promise<string> =>
  demandSignedMetadata(xml, certificates, OWNER, verifier);

long('returns the octets under the signature when a demanded certificate has made it', async () => {
  const octets = await demand(signed(), [stranger.certificate, federation.certificate]);
  expect(octets).toContain('entityID=');
  expect(octets).not.toContain('SignatureValue');
});

test.each<[string, () => string, RegExp]>([
  ['has no signature', () => PLAIN, /not signed, as this connection demands/],
  ['is signed by another key', () => signed(stranger), /not signed by any of the certificates/],
  [
    'is signed by another key and shows the demanded certificate',
    () => signed(stranger, { keyInfo: federation }),
    /not signed by any of the certificates/,
  ],
  [
    'was changed after it was signed',
    () => signed().replace('entityID="', 'entityID="https://evil.example/'),
    /not signed by any of the certificates/,
  ],
  [
    'is signed with SHA-1',
    () => signed(federation, { algorithm: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1' }),
    /SHA-1|algorithm/i,
  ],
])('refuses metadata that %s', async (_what, xml, words) => {
  const problem = await demand(xml()).catch((error: unknown) => error);
  expect(problem).toBeInstanceOf(MetadataProblem);
  expect((problem as Error).message).toMatch(words);
});

test('refuses metadata when no certificate could verify a signature', async () => {
  await expect(demand(signed(), ['no certificate'])).rejects.toThrow(MetadataProblem);
});
