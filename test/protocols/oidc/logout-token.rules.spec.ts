import type { SignedToken } from '../../../src/protocols/oidc/jwt.rules.js';
import { checkLogoutToken } from '../../../src/protocols/oidc/logout-token.rules.js';

const now = new Date('2030-06-01T12:00:00.000Z');
const seconds = (offset: number): number => now.getTime() / 1000 + offset;
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
const connection = { issuer: 'https://idp.example.com', clientId: 'client-1' };
const honest = {
  iss: connection.issuer,
  aud: 'client-1',
  sub: 'ada',
  sid: 's1',
  iat: seconds(0),
  exp: seconds(120),
  jti: 'j1',
  events: { [EVENT]: {} },
};
const token = (claims: object, typ: string | null = 'logout+jwt'): SignedToken => ({
  text: '',
  header: { alg: 'RS256', kid: null, typ },
  claims: { ...honest, ...claims },
});

it.each<[string, object, object]>([
  ['a subject and a session', {}, { sub: 'ada', sid: 's1' }],
  ['a subject alone', { sid: null }, { sub: 'ada', sid: null }],
  ['a session that is a number, as a subject alone', { sid: 5 }, { sub: 'ada', sid: null }],
  ['a session alone', { sub: undefined }, { sub: null, sid: 's1' }],
  [
    'no exp within two minutes',
    { exp: undefined },
    { once: { id: 'j1', until: new Date((seconds(120) + 60) * 1000) } },
  ],
])('accepts %s', (_what, claims, expected) => {
  expect(checkLogoutToken(token(claims), connection, now)).toMatchObject(expected);
});

it.each([null, 'jwt', 'logout+jwt', 'application/logout+jwt'])('accepts the type %s', (typ) => {
  expect(checkLogoutToken(token({}, typ), connection, now).issuedAt).toEqual(now);
});

it.each<[string, object, string?]>([
  ['another type', {}, 'at+jwt'],
  ['another issuer', { iss: 'https://other.example.com' }],
  ['another audience', { aud: 'client-2' }],
  ['an expired token', { exp: seconds(-61) }],
  ['no exp after two minutes', { exp: undefined, iat: seconds(-121) }],
  ['no event', { events: {} }],
  ['an event that is a text', { events: { [EVENT]: 'x' } }],
  ['a nonce', { nonce: 'n' }],
  ['neither subject nor session', { sub: undefined, sid: undefined }],
  ['a session alone that is a number', { sub: undefined, sid: 5 }],
  ['no jti', { jti: undefined }],
  ['a subject of 256 characters', { sub: 'x'.repeat(256) }],
])('refuses %s', (_what, claims, typ = 'logout+jwt') => {
  expect(() => checkLogoutToken(token(claims, typ), connection, now)).toThrow(
    expect.objectContaining({ reason: 'token_refused' }),
  );
});
