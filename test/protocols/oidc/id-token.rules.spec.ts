import { createHash } from 'node:crypto';
import { checkIdToken, type IdTokenExpectation } from '../../../src/protocols/oidc/id-token.rules.js';
import type { SignedToken } from '../../../src/protocols/oidc/jwt.rules.js';
import { OidcRefused } from '../../../src/protocols/oidc/oidc-refused.js';

// The edges of what is accepted, to the second.

const NOW = 1_780_000_000;

function read(claims: object, expected: Partial<IdTokenExpectation['connection']> = {}, header: object = {}) {
  const token: SignedToken = {
    text: 'a.b.c',
    header: { alg: 'RS256', kid: null, typ: null, ...header },
    claims: { iss: 'https://idp.example.com', aud: 'me', sub: 's', nonce: 'n', iat: NOW, exp: NOW + 300, ...claims },
  };
  const connection = {
    issuer: 'https://idp.example.com',
    clientId: 'me',
    acrValues: [],
    maxAgeSeconds: null,
    userInfo: 'never' as const,
    ...expected,
  };
  return checkIdToken(token, { connection, nonce: 'n', accessToken: 'at' }, new Date(NOW * 1000));
}

function judge(...asked: Parameters<typeof read>): string {
  try {
    read(...asked);
    return 'accepted';
  } catch (error) {
    return (error as OidcRefused).reason;
  }
}

it.each<[string, object, string]>([
  ['exp 59 s ago', { exp: NOW - 59 }, 'accepted'],
  ['exp 60 s ago', { exp: NOW - 60 }, 'token_expired'],
  ['iat 600 s ago', { iat: NOW - 600 }, 'accepted'],
  ['iat 601 s ago', { iat: NOW - 601 }, 'token_expired'],
  ['iat 300 s ahead', { iat: NOW + 300 }, 'accepted'],
  ['iat 301 s ahead', { iat: NOW + 301 }, 'token_not_yet_valid'],
  ['nbf 60 s ahead', { nbf: NOW + 60 }, 'accepted'],
  ['nbf 61 s ahead', { nbf: NOW + 61 }, 'token_not_yet_valid'],
  ['exp endless', { exp: 1e300 }, 'claims_invalid'],
  ['exp negative', { exp: -1 }, 'claims_invalid'],
  ['exp a list', { exp: [NOW + 60] }, 'claims_invalid'],
  ['iat with a fraction', { iat: NOW + 0.5 }, 'accepted'],
  ['iss in capitals', { iss: 'https://IDP.example.com' }, 'issuer_mismatch'],
  ['iss a list', { iss: ['https://idp.example.com'] }, 'issuer_mismatch'],
  ['aud an object', { aud: { 0: 'me' } }, 'audience_mismatch'],
  ['aud a nested list', { aud: [['me']] }, 'audience_mismatch'],
  ['aud in capitals', { aud: 'ME' }, 'audience_mismatch'],
  ['nonce a list', { nonce: ['n'] }, 'nonce_mismatch'],
  ['nonce empty', { nonce: '' }, 'nonce_mismatch'],
  ['sub a space', { sub: ' ' }, 'accepted'],
  ['at_hash of it', { at_hash: half('sha256', 'at') }, 'accepted'],
  ['at_hash whole', { at_hash: createHash('sha256').update('at').digest('base64url') }, 'claims_invalid'],
  ['at_hash of another', { at_hash: half('sha256', 'other') }, 'claims_invalid'],
  ['at_hash by another hash', { at_hash: half('sha512', 'at') }, 'claims_invalid'],
  ['exp null', { exp: null }, 'claims_invalid'],
  ['nonce null', { nonce: null }, 'nonce_mismatch'],
  ['sub null', { sub: null }, 'claims_invalid'],
  ...['nbf', 'azp', 'at_hash', 'auth_time', 'session_expiry', 'acr', 'sid'].map((name): [string, object, string] => [
    `${name} null`,
    { [name]: null },
    'accepted',
  ]),
  ['auth_time text', { auth_time: '2026-05-28T20:26:40Z' }, 'accepted'],
  ['auth_time a list', { auth_time: [NOW] }, 'accepted'],
  ['session_expiry now', { session_expiry: NOW }, 'token_expired'],
  ['session_expiry text', { session_expiry: 'later' }, 'claims_invalid'],
  ['acr a number', { acr: 1 }, 'accepted'],
  ['acr a list', { acr: ['mfa'] }, 'accepted'],
  ['acr too long', { acr: 'a'.repeat(1025) }, 'accepted'],
  ['sid a number', { sid: 5 }, 'accepted'],
  ['sid an object', { sid: {} }, 'accepted'],
  ['at_hash a number', { at_hash: 5 }, 'accepted'],
])('%s: %#', (_name, claims, outcome) => {
  expect(judge({})).toBe('accepted');
  expect(judge(claims)).toBe(outcome);
});

it('hashes the access token with SHA-512 for Ed25519', () => {
  expect(judge({ at_hash: half('sha512', 'at') }, {}, { alg: 'EdDSA' })).toBe('accepted');
  expect(judge({ at_hash: half('sha256', 'at') }, {}, { alg: 'EdDSA' })).toBe('claims_invalid');
});

it.each<[string, unknown, string]>([
  ['at the edge', NOW - 360, 'accepted'],
  ['over it', NOW - 361, 'authentication_too_weak'],
  ['absent', undefined, 'authentication_too_weak'],
  ['null', null, 'authentication_too_weak'],
  ['0', 0, 'authentication_too_weak'],
  ['a text', 'yesterday', 'claims_invalid'],
  ['a number in a text', String(NOW), 'claims_invalid'],
  ['in the future', NOW + 301, 'claims_invalid'],
])('auth_time %s, with 300 s demanded', (_name, authTime, outcome) => {
  expect(judge({ auth_time: authTime }, { maxAgeSeconds: 300 })).toBe(outcome);
});

it('demands a sign-in made just now when the age is 0', () => {
  expect(judge({ auth_time: NOW - 30 }, { maxAgeSeconds: 0 })).toBe('accepted');
  expect(judge({ auth_time: NOW - 61 }, { maxAgeSeconds: 0 })).toBe('authentication_too_weak');
});

it('demands an at_hash of the right type when the access token is used for UserInfo', () => {
  expect(judge({ at_hash: 5 }, { userInfo: 'optional' })).toBe('claims_invalid');
});

it.each<[unknown, string]>([
  ['mfa', 'accepted'],
  [1, 'authentication_too_weak'],
  ['MFA', 'authentication_too_weak'],
  [['mfa'], 'authentication_too_weak'],
  [undefined, 'authentication_too_weak'],
  [null, 'authentication_too_weak'],
])('acr %p, with mfa demanded', (acr, outcome) => {
  expect(judge({ acr }, { acrValues: ['mfa'] })).toBe(outcome);
});

it.each<[string, string]>([
  ['jwt', 'accepted'],
  ['logout+jwt', 'token_refused'],
  ['application/at+jwt', 'token_refused'],
  ['dpop+jwt', 'token_refused'],
])('typ %s', (typ, outcome) => expect(judge({}, {}, { typ })).toBe(outcome));

function half(hash: string, text: string): string {
  const digest = createHash(hash).update(text).digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

it.each<[string, unknown, number | null]>([
  ['a number', NOW - 90, NOW - 90],
  ['a text, as ADFS writes it', new Date((NOW - 90) * 1000).toISOString(), NOW - 90],
  ['0, which is unknown', 0, null],
  ['another text', 'yesterday', null],
  ['a list', [NOW], null],
  ['null', null, null],
  ['missing', undefined, null],
])('reads auth_time that is %s', (_, authTime, seconds) => {
  const { authenticatedAt } = read(authTime === undefined ? {} : { auth_time: authTime });
  expect(authenticatedAt?.getTime() ?? null).toBe(seconds === null ? null : seconds * 1000);
});
