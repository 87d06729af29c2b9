import type { SignedToken } from '../../../../src/protocols/oidc/jwt.rules.js';
import { checkRevocationToken } from '../../../../src/auth/sign-in/revocation/revocation-token.rules.js';

const now = new Date('2030-06-01T12:00:00.000Z');
const seconds = (offset: number): number => now.getTime() / 1000 + offset;
const expected = { issuer: 'https://idp.example.com', audience: 'https://app.example.com/revoke' };
const honest = { iss: expected.issuer, aud: expected.audience, iat: seconds(0), exp: seconds(300), jti: 'j1' };
const token = (claims: object, typ: string | null = 'global-token-revocation+jwt'): SignedToken => ({
  text: '',
  header: { alg: 'RS256', kid: null, typ },
  claims: { ...honest, ...claims },
});

it.each<[string, object]>([
  ['an audience as a text', {}],
  ['an audience as a list of one', { aud: [expected.audience] }],
])('accepts %s', (_what, claims) => {
  expect(checkRevocationToken(token(claims), expected, now)).toEqual({
    issuedAt: now,
    once: { id: 'j1', until: new Date(seconds(360) * 1000) },
  });
});

it.each<[string, object, (string | null)?]>([
  ['a token without a type', {}, null],
  ['a token of another type', {}, 'logout+jwt'],
  ['another issuer', { iss: 'https://other.example.com' }],
  ['another audience', { aud: 'https://other.example.com' }],
  ['several audiences', { aud: [expected.audience, 'x'] }],
  ['an expired token', { exp: seconds(-61) }],
  ['no jti', { jti: null }],
  ['a jti of 256 characters', { jti: 'x'.repeat(256) }],
])('refuses %s', (_what, claims, typ = 'global-token-revocation+jwt') => {
  expect(() => checkRevocationToken(token(claims, typ), expected, now)).toThrow(
    expect.objectContaining({ reason: 'token_refused' }),
  );
});
