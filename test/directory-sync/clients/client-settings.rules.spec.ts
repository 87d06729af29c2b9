import { generateKeyPairSync } from 'node:crypto';
import { clientProblems, type ClientSettings } from '../../../src/directory-sync/clients/client-settings.rules.js';

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const PUBLIC = { ...publicKey.export({ format: 'jwk' }), kid: 'k1' };
const NONE = { issuer: null, subject: null, audience: null, jwks: null, jwks_url: null };
const FEDERATED: ClientSettings = {
  kind: 'federated',
  issuer: 'https://login.example.com/t/v2.0',
  subject: 's',
  audience: 'api://app',
  jwks: null,
  jwks_url: 'https://login.example.com/t/keys',
};
const OWN_KEY: ClientSettings = { ...NONE, kind: 'private_key_jwt', jwks: { keys: [PUBLIC] } };

const problems = (settings: ClientSettings): string[] =>
  clientProblems(settings, (url) => (url.includes('private') ? 'must be public' : null)).map(
    ({ field, message }) => `${field} ${message}`,
  );

it.each<[string, ClientSettings]>([
  ['a secret', { ...NONE, kind: 'secret' }],
  ['keys by value', OWN_KEY],
  ['keys by address', { ...NONE, kind: 'private_key_jwt', jwks_url: 'https://idp.example.com/keys' }],
  ['another issuer', FEDERATED],
])('accepts %s', (_, settings) => expect(problems(settings)).toEqual([]));

it.each<[string, ClientSettings, string[]]>([
  ['keys of a secret', { ...OWN_KEY, kind: 'secret' }, ['jwks is not a field of a client of the kind secret']],
  ['a private_key_jwt without keys', { ...OWN_KEY, jwks: null }, ['jwks must be given, or jwks_url, and not both']],
  [
    'keys by value and by address',
    { ...OWN_KEY, jwks_url: 'https://idp.example.com/keys' },
    ['jwks must be given, or jwks_url, and not both'],
  ],
  ['a federated client without subject', { ...FEDERATED, subject: null }, ['subject is required']],
  [
    'an issuer that is no address',
    { ...FEDERATED, issuer: 'entra' },
    ['issuer must be an address such as https://login.microsoftonline.com/<tenant>/v2.0'],
  ],
  [
    'an audience with /.default',
    { ...FEDERATED, audience: 'api://app/.default' },
    ['audience must be without /.default: the assertions name it without'],
  ],
  ['a private address', { ...FEDERATED, jwks_url: 'https://private' }, ['jwks_url must be public']],
  ['a key set without a list', { ...OWN_KEY, jwks: {} }, ['jwks must be a key set: {"keys": […]}']],
  [
    'a symmetric key',
    { ...OWN_KEY, jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] } },
    ['jwks must hold public keys alone: make a new key pair'],
  ],
  [
    'a private key',
    { ...OWN_KEY, jwks: { keys: [privateKey.export({ format: 'jwk' })] } },
    ['jwks must hold public keys alone: make a new key pair'],
  ],
  [
    'no usable key',
    { ...OWN_KEY, jwks: { keys: [{ kty: 'RSA', n: 'AQAB', e: 'AQAB' }] } },
    ['jwks must hold a public key: RSA of 2048 to 4096 bits with an exponent of at most 32 bits, P-256 or Ed25519'],
  ],
  [
    'a huge key set',
    { ...OWN_KEY, jwks: { keys: [PUBLIC], x: 'x'.repeat(20_000) } },
    ['jwks must have at most 16384 characters of JSON'],
  ],
])('refuses %s', (_, settings, expected) => expect(problems(settings)).toEqual(expected));
