import { checkAssertion } from '../../../src/directory-sync/clients/client-assertion.rules.js';
import type { SignedToken } from '../../../src/protocols/oidc/jwt.rules.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const T = NOW.getTime() / 1000;
const EXPECTED = { issuer: 'i', subject: 's', audiences: ['a', 'b'], isOwn: false };
const OWN = { ...EXPECTED, isOwn: true };
const GOOD = { iss: 'i', sub: 's', aud: 'a', iat: T, exp: T + 3_900 };
const token = (claims: object, typ: string | null = 'jwt'): SignedToken => ({
  text: '',
  header: { alg: 'RS256', kid: null, typ },
  claims: { ...GOOD, ...claims },
});
const reasonOf = (given: SignedToken, expected = EXPECTED): string => {
  try {
    checkAssertion(given, expected, NOW);
  } catch (error) {
    return (error as { reason: string }).reason;
  }
  return 'none';
};

it('can be used until it ends without a jti, and once with one', () => {
  expect(checkAssertion(token({}), EXPECTED, NOW)).toBeNull();
  expect(checkAssertion(token({ jti: null, nbf: T - 5 }), EXPECTED, NOW)).toBeNull();
  expect(checkAssertion(token({ jti: 'x' }), EXPECTED, NOW)).toEqual({
    id: 'x',
    until: new Date((T + 3_960) * 1_000),
  });
});

it.each<[string, object]>([
  ['several audiences, all of this service', { aud: ['a', 'b'] }],
  ['a clock that is 60 s late', { exp: T - 59 }],
  ['a clock that is 60 s ahead', { iat: T + 60, nbf: T + 60 }],
  ['an issue long ago', { iat: T - 80_000, exp: T + 60 }],
  ['no time of issue', { iat: null }],
  ['a begin in place of it', { iat: undefined, nbf: T + 60 }],
  ['no time of issue, and a day by a clock that is ahead', { iat: undefined, exp: T + 86_460 }],
])('accepts %s', (_, claims) => expect(reasonOf(token(claims))).toBe('none'));

it.each([null, 'jwt', 'jws', 'application/jwt', 'client-authentication+jwt', 'application/client-authentication+jwt'])(
  'accepts the type %s',
  (typ) => expect(reasonOf(token({}, typ))).toBe('none'),
);

it.each(['at+jwt', 'application/at+jwt', 'logout+jwt', 'x-client-authentication+jwt'])(
  'refuses %s, the type of another kind of token',
  (typ) => expect(reasonOf(token({}, typ))).toBe('assertion_invalid'),
);

it.each<[string, object, string]>([
  ['a jti and ten minutes', { jti: 'x', exp: T + 600 }, 'none'],
  ['ten minutes by a clock that is ahead', { jti: 'x', iat: null, exp: T + 660 }, 'none'],
  ['no jti', { exp: T + 60 }, 'assertion_without_jti'],
  ['more than ten minutes', { jti: 'x', exp: T + 601 }, 'assertion_lives_too_long'],
  ['more than ten minutes without an issue', { jti: 'x', iat: null, exp: T + 661 }, 'assertion_lives_too_long'],
])('judges an assertion by the key of the client with %s', (_, claims, reason) =>
  expect(reasonOf(token(claims), OWN)).toBe(reason),
);

it.each<[string, object, string]>([
  ['another issuer', { iss: 'j' }, 'issuer_mismatch'],
  ['no issuer', { iss: null }, 'issuer_mismatch'],
  ['another subject', { sub: 't' }, 'subject_mismatch'],
  ['another audience', { aud: 'c' }, 'audience_mismatch'],
  ['no audience', { aud: [] }, 'audience_mismatch'],
  ['an audience of others too', { aud: ['a', 'c'] }, 'audience_mismatch'],
  ['no end', { exp: null }, 'assertion_invalid'],
  ['an end that is text', { exp: String(T + 60) }, 'assertion_invalid'],
  ['a time of issue that is text', { iat: String(T) }, 'assertion_invalid'],
  ['no time of issue, and more than a day', { iat: null, exp: T + 86_461 }, 'assertion_lives_too_long'],
  [
    'a begin in place of it, and more than a day',
    { iat: null, nbf: T - 1, exp: T + 86_400 },
    'assertion_lives_too_long',
  ],
  ['a past end', { exp: T - 60 }, 'assertion_expired'],
  ['a future issue', { iat: T + 61 }, 'assertion_not_yet_valid'],
  ['a future begin', { nbf: T + 61 }, 'assertion_not_yet_valid'],
  ['a life of more than a day', { exp: T + 86_401 }, 'assertion_lives_too_long'],
  ['a jti that is no text', { jti: 5 }, 'assertion_invalid'],
  ['an empty jti', { jti: '' }, 'assertion_invalid'],
  ['a long jti', { jti: 'x'.repeat(256) }, 'assertion_invalid'],
])('refuses %s', (_, claims, reason) => expect(reasonOf(token(claims))).toBe(reason));
