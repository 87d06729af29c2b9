import { readEncrypted } from '../../../src/protocols/saml/encryption.rules.js';
import type { SamlKeyPair } from '../../../src/protocols/saml/saml-settings.js';
import { scanXml } from '../../../src/protocols/saml/xml-scan.js';
import { encryptElement, type EncryptOptions } from './support/encrypt.js';
import { newKey } from './support/keys.js';
import { reasonOf } from './support/reason.js';

let key: SamlKeyPair;
beforeAll(async () => (key = await newKey('sp')));
const xml = (options: EncryptOptions = {}): string => encryptElement('<x/>', key, options);
const read = (text: string, cbcAllowed = false) => readEncrypted(scanXml(text), cbcAllowed);

it.each<[string, EncryptOptions, boolean, string]>([
  ['AES-256-GCM', {}, false, 'aes-256-gcm'],
  ['AES-128-GCM', { cipher: 'aes128-gcm' }, false, 'aes-128-gcm'],
  ['AES-256-CBC under a signature', { cipher: 'aes256-cbc' }, true, 'aes-256-cbc'],
  ['a key beside the data', { keyBeside: true }, false, 'aes-256-gcm'],
])('reads %s', (_what, options, cbcAllowed, cipher) => {
  const parts = read(xml(options), cbcAllowed);
  expect([parts.cipher, parts.keys.length]).toEqual([cipher, 1]);
});

it.each<[EncryptOptions, string, string]>([
  [{}, 'sha1', 'sha1'],
  [{ digest: 'sha256' }, 'sha256', 'sha1'],
  [{ transport: 'rsa-oaep' }, 'sha1', 'sha1'],
  [{ transport: 'rsa-oaep', digest: 'sha512' }, 'sha512', 'sha1'],
  [{ transport: 'rsa-oaep', digest: 'sha384', mask: 'sha384' }, 'sha384', 'sha384'],
  [{ transport: 'rsa-oaep', mask: 'sha512' }, 'sha1', 'sha512'],
])('reads the hashes of the key transport %j', (options, digest, mask) => {
  expect(read(xml(options)).keys[0]).toMatchObject({ digest, mask });
});

it.each<[string, (text: string) => string, string]>([
  ['AES-CBC without a signature', () => xml({ cipher: 'aes256-cbc' }), 'algorithm_refused'],
  ['RSA 1.5', () => xml({ transport: 'rsa-1_5' }), 'algorithm_refused'],
  ['another cipher', (text) => text.replace('#aes256-gcm', '#tripledes-cbc'), 'algorithm_refused'],
  ['no key', (text) => text.replace(/<ds:KeyInfo.*<\/ds:KeyInfo>/, ''), 'structure_refused'],
  ['no data', () => '<x/>', 'structure_refused'],
  [
    'a value that is not base64',
    (text) => text.replace(/<xenc:CipherValue>[^<]*/g, '<xenc:CipherValue>*'),
    'message_malformed',
  ],
])('refuses %s', (_what, change, reason) => {
  expect(reasonOf(() => read(change(xml())))).toBe(reason);
});
