import { OidcRefused } from '../../../src/protocols/oidc/oidc-refused.js';
import { acceptedAlgs, readToken, withoutOddClaims } from '../../../src/protocols/oidc/jwt.rules.js';

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (header: object, claims: unknown = { sub: 'ada' }, signature = 'c2ln'): string =>
  `${part(header)}.${part(claims)}.${signature}`;

it.each<[string, 'ES256' | null, string[] | null, string[]]>([
  ['the pinned one', 'ES256', ['RS256'], ['ES256']],
  ['the announced ones that are accepted at all', null, ['HS256', 'none', 'ES256', 'RS256'], ['RS256', 'ES256']],
  ['RS256 when none is announced', null, null, ['RS256']],
  ['none when only others are announced', null, ['HS256'], []],
])('accepts %s', (_what, idTokenAlg, idTokenAlgs, expected) => {
  expect(acceptedAlgs({ idTokenAlg }, { idTokenAlgs })).toEqual(expected);
});

it('splits a token', () => {
  const text = token({ alg: 'RS256', kid: 'k', typ: 'JWT' });
  expect(readToken(text, 'ID token', ['RS256'])).toEqual({
    text,
    header: { alg: 'RS256', kid: 'k', typ: 'jwt' },
    claims: { sub: 'ada' },
  });
});

it.each<[string, string, string]>([
  ['two parts', 'a.b', 'token_refused'],
  ['five parts, which is encrypted', 'a.b.c.d.e', 'token_refused'],
  ['a header that is not JSON', `YQ.${part({})}.c2ln`, 'token_refused'],
  ['claims that are a list', token({ alg: 'RS256' }, []), 'token_refused'],
  ['an empty signature', token({ alg: 'RS256' }, {}, ''), 'token_refused'],
  ['characters that are not base64url', token({ alg: 'RS256' }, {}, 'a+b='), 'token_refused'],
  ['alg none', token({ alg: 'none' }), 'algorithm_refused'],
  ['an HMAC', token({ alg: 'HS256' }), 'algorithm_refused'],
  ['no alg', token({}), 'algorithm_refused'],
  ['a key in the header', token({ alg: 'RS256', jwk: {} }), 'token_refused'],
  ['the address of a key', token({ alg: 'RS256', jku: 'https://x' }), 'token_refused'],
  ['crit', token({ alg: 'RS256', crit: ['x'] }), 'token_refused'],
  ['a kid that is a number', token({ alg: 'RS256', kid: 1 }), 'token_refused'],
  ['more than 64 KiB', token({ alg: 'RS256' }, { a: 'x'.repeat(70_000) }), 'token_refused'],
])('refuses %s', (_what, text, reason) => {
  let found: unknown = null;
  try {
    readToken(text, 'ID token', ['RS256']);
  } catch (error) {
    found = error instanceof OidcRefused ? error.reason : error;
  }
  expect(found).toBe(reason);
});

it('removes an auth_time that is no number', () => {
  const claims = (said: object): object => {
    const [, payload] = withoutOddClaims(token({ alg: 'RS256' }, said)).split('.');
    return JSON.parse(Buffer.from(payload!, 'base64url').toString()) as object;
  };
  expect(claims({ sub: 'ada', auth_time: 'now' })).toEqual({ sub: 'ada' });
  expect(claims({ sub: 'ada', auth_time: 5, acr: null })).toEqual({ sub: 'ada', auth_time: 5 });
});

it('removes claims that are null, and leaves other tokens as they are', () => {
  const [, payload] = withoutOddClaims(token({ alg: 'RS256' }, { sub: 'ada', email: null })).split('.');
  expect(JSON.parse(Buffer.from(payload!, 'base64url').toString())).toEqual({ sub: 'ada' });
  for (const text of [token({ alg: 'RS256' }), 'a.b', 'x']) expect(withoutOddClaims(text)).toBe(text);
});
