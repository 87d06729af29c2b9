import { checkAssertion } from '../../../src/directory-sync/clients/client-assertion.rules.js';
import type { SignedToken } from '../../../src/protocols/oidc/jwt.rules.js';

const NOW = new Date('2026-03-01T12:00:00Z');
const T = NOW.getTime() / 1000;
const EXPECTED = { issuer: 'i', subject: 's', audiences: ['a', 'b'] };
const GOOD = { iss: 'i', sub: 's', aud: 'a', iat: T, exp: T + 3_900 };
const token = (claims: object, typ: string | null = 'jwt'): SignedToken => ({
  text: '',
  header: { alg: 'RS256', kid: null, typ },
  claims: { ...GOOD, ...claims },
});
const reasonOf = (given: SignedToken): string => {
  try {
    checkAssertion(given, EXPECTED, NOW);
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
])('accepts %s', (_, claims) => expect(reasonOf(token(claims))).toBe('none'));

it('accepts the type of assertions, and no other type', () => {
  expect(reasonOf(token({}, 'client-authentication+jwt'))).toBe('none');
  expect(reasonOf(token({}, null))).toBe('none');
  expect(reasonOf(token({}, 'at+jwt'))).toBe('assertion_invalid');
});

it.each<[string, object, string]>([
  ['another issuer', { iss: 'j' }, 'issuer_mismatch'],
  ['no issuer', { iss: null }, 'issuer_mismatch'],
  ['another subject', { sub: 't' }, 'subject_mismatch'],
  ['another audience', { aud: 'c' }, 'audience_mismatch'],
  ['no audience', { aud: [] }, 'audience_mismatch'],
  ['an audience of others too', { aud: ['a', 'c'] }, 'audience_mismatch'],
  ['no end', { exp: null }, 'assertion_invalid'],
  ['an end that is text', { exp: String(T + 60) }, 'assertion_invalid'],
  ['no time of issue', { iat: null }, 'assertion_invalid'],
  ['a past end', { exp: T - 60 }, 'assertion_expired'],
  ['a future issue', { iat: T + 61 }, 'assertion_not_yet_valid'],
  ['a future begin', { nbf: T + 61 }, 'assertion_not_yet_valid'],
  ['a life of more than a day', { exp: T + 86_401 }, 'assertion_lives_too_long'],
  ['a jti that is no text', { jti: 5 }, 'assertion_invalid'],
  ['an empty jti', { jti: '' }, 'assertion_invalid'],
  ['a long jti', { jti: 'x'.repeat(256) }, 'assertion_invalid'],
])('refuses %s', (_, claims, reason) => expect(reasonOf(token(claims))).toBe(reason));
