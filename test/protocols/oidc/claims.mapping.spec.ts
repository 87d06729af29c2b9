import { mergeClaims } from '../../../src/protocols/oidc/claims.mapping.js';

it.each<[string, object, object | null, object]>([
  ['the ID token alone', { sub: 's', email: 'a@x' }, null, { sub: 's', email: 'a@x' }],
  ['both', { sub: 's', a: 1 }, { sub: 's', a: 2, b: 3 }, { sub: 's', a: 1, b: 3 }],
  [
    'an address that UserInfo alone verifies',
    { email: 'a@x' },
    { email: 'a@x', email_verified: true },
    { email: 'a@x', email_verified: true },
  ],
  [
    'another address that UserInfo verifies',
    { email: 'a@x' },
    { email: 'b@x', email_verified: true },
    { email: 'a@x' },
  ],
  ['a verification without an address', { email: 'a@x' }, { email_verified: true }, { email: 'a@x' }],
  [
    'a verification that is not of the address of UserInfo',
    { email_verified: true },
    { email: 'b@x', email_verified: false },
    { email: 'b@x', email_verified: false },
  ],
  [
    'doubt about the address that UserInfo alone names',
    { email_verified: false },
    { email: 'b@x', email_verified: true },
    { email: 'b@x', email_verified: false },
  ],
  [
    'doubt that comes without its address',
    { email_verified: 'no' },
    { email: 'b@x' },
    { email: 'b@x', email_verified: 'no' },
  ],
  [
    'doubt about the same address, written differently',
    { email: ' A@x', email_verified: true },
    { email: 'a@X ', email_verified: false },
    { email: ' A@x', email_verified: false },
  ],
  [
    'doubt about another address',
    { email: 'a@x', email_verified: true },
    { email: 'b@x', email_verified: false },
    { email: 'a@x', email_verified: true },
  ],
  [
    'what is null in the ID token, and said by UserInfo',
    { sub: 's', given_name: null, email: null, email_verified: null },
    { sub: 's', given_name: 'Ada', email: 'a@x', email_verified: true },
    { sub: 's', given_name: 'Ada', email: 'a@x', email_verified: true },
  ],
  ['what is null in both', { sub: 's', roles: null }, { roles: null, email_verified: null }, { sub: 's' }],
  ['what is null in the ID token alone', { sub: 's', email_verified: null }, null, { sub: 's' }],
  ['a stray verification', { email_verified: true }, { email: 'b@x' }, { email: 'b@x' }],
  [
    'two opinions on one address',
    { email: 'a@x', email_verified: false },
    { email: 'a@x', email_verified: true },
    { email: 'a@x', email_verified: false },
  ],
])('%s', (_name, idToken, userInfo, expected) => {
  const claims = mergeClaims({ ...idToken }, userInfo === null ? null : { ...userInfo });
  expect({ ...claims }).toEqual(expected);
  expect(Object.getPrototypeOf(claims)).toBeNull();
});

it('reads names of built-in members as claims', () => {
  const hostile = JSON.parse('{"__proto__":{"admin":true},"constructor":"c"}') as Record<string, unknown>;
  const claims = mergeClaims({ sub: 's' }, hostile);
  expect(claims['admin']).toBeUndefined();
  expect(Object.keys(claims).sort()).toEqual(['__proto__', 'constructor', 'sub']);
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
});
