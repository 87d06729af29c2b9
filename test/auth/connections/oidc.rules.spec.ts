import type { FieldError } from '../../../src/base/errors/domain-error.js';
import { oidcAfter, secretPlans } from '../../../src/auth/connections/oidc.rules.js';
import type { StoredOidcSettings } from '../../../src/auth/connections/connection.js';
import { oidcSettings } from './support/settings.js';

const fields = (errors: readonly FieldError[]): string[] => errors.map(({ field }) => field);
function after(before: StoredOidcSettings | null, input: object): { settings: StoredOidcSettings; errors: string[] } {
  const errors: FieldError[] = [];
  const settings = oidcAfter(before, input, oidcSettings, { allowPrivate: false }, errors);
  return { settings, errors: fields(errors) };
}

it('demands an issuer and a client id', () => {
  expect(after(null, {}).errors).toEqual(['issuer', 'client_id']);
});

it('gives a new connection its defaults', () => {
  const { settings, errors } = after(null, { issuer: 'https://idp.example.com', client_id: 'client-1' });
  expect([settings, errors]).toEqual([oidcSettings, []]);
});

it('always asks for the scope openid', () => {
  expect(after(oidcSettings, { scopes: ['email'] }).settings.scopes).toEqual(['openid', 'email']);
});

it.each<[string, object, string[]]>([
  ['an issuer with a query', { issuer: 'https://idp.example.com/?a' }, ['issuer']],
  ['a private issuer', { issuer: 'https://10.0.0.1' }, ['issuer']],
  ['a private address of metadata', { discovery_url: 'https://10.0.0.1/x' }, ['discovery_url']],
])('refuses %s', (_what, input, errors) => {
  expect(after(oidcSettings, input).errors).toEqual(errors);
});

const stored = { clientSecret: true, privateKey: true };
const none = { clientSecret: false, privateKey: false };
const jwt = { token_auth: 'private_key_jwt' } as const;

it.each<[string, object, typeof stored, object, string[]]>([
  ['keeps the stored secret', {}, stored, { clientSecret: { kind: 'keep' }, privateKey: { kind: 'drop' } }, []],
  ['takes a sent secret', { client_secret: 's' }, none, { clientSecret: { kind: 'set', secret: 's' } }, []],
  ['demands a secret', {}, none, {}, ['client_secret']],
  ['refuses a key without private_key_jwt', { private_key: {} }, stored, {}, ['private_key']],
  ['demands a secret for another issuer', { issuer: 'https://other.example.com' }, stored, {}, ['client_secret']],
  ['makes a key', jwt, none, { clientSecret: { kind: 'drop' }, privateKey: { kind: 'make' } }, []],
  ['keeps the stored key', jwt, stored, { privateKey: { kind: 'keep' } }, []],
  ['makes a new key on demand', { ...jwt, private_key: null }, stored, { privateKey: { kind: 'make' } }, []],
  ['takes a sent key', { ...jwt, private_key: { kty: 'EC' } }, stored, { privateKey: { kind: 'set' } }, []],
  ['refuses a secret with private_key_jwt', { ...jwt, client_secret: 's' }, stored, {}, ['client_secret']],
])('%s', (_what, input, secrets, plans, expected) => {
  const errors: FieldError[] = [];
  const settings = { ...oidcSettings, ...input };
  expect(secretPlans(oidcSettings, settings, secrets, input, errors)).toMatchObject(plans);
  expect(fields(errors)).toEqual(expected);
});
