import { checkRevocationToken, readSubject } from '../../../../src/auth/sign-in/logout/revocation.rules.js';
import { InvalidFields, MalformedRequest } from '../../../../src/base/errors/domain-error.js';
import type { SignedToken } from '../../../../src/protocols/oidc/jwt.rules.js';

describe('revocation token', () => {
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
});

describe('subject', () => {
  it.each([
    [{ format: 'email', email: 'ada@example.com' }],
    [{ format: 'iss_sub', iss: 'https://idp.example.com', sub: 'ada' }],
    [{ format: 'opaque', id: '00u1' }],
  ])('reads %j, and ignores unknown members', (subject) => {
    expect(readSubject({ sub_id: { ...subject, more: 1 }, more: 1 })).toEqual(subject);
  });

  it.each<[unknown, string]>([
    [undefined, 'sub_id'],
    [{}, 'sub_id'],
    [{ sub_id: 'ada' }, 'sub_id'],
    [{ sub_id: [] }, 'sub_id'],
    [{ sub_id: { format: 'phone_number', phone_number: '+1' } }, 'sub_id.format'],
    [{ sub_id: { email: 'ada@example.com' } }, 'sub_id.format'],
    [{ sub_id: { format: 'email' } }, 'sub_id.email'],
    [{ sub_id: { format: 'email', email: '' } }, 'sub_id.email'],
    [{ sub_id: { format: 'email', email: 7 } }, 'sub_id.email'],
    [{ sub_id: { format: 'email', email: 'a\0b' } }, 'sub_id.email'],
    [{ sub_id: { format: 'iss_sub', sub: 'ada' } }, 'sub_id.iss'],
    [{ sub_id: { format: 'iss_sub', iss: 'https://idp.example.com' } }, 'sub_id.sub'],
    [{ sub_id: { format: 'opaque', id: 'x'.repeat(1_025) } }, 'sub_id.id'],
  ])('refuses %j and names the member', (body, field) => {
    let found: unknown;
    try {
      readSubject(body);
    } catch (error) {
      found = error;
    }
    expect(found).toBeInstanceOf(InvalidFields);
    expect((found as InvalidFields).extras.errors![0]!.field).toBe(field);
  });

  it('refuses a value that is no object', () => {
    for (const body of [[], 'x', 1, null]) expect(() => readSubject(body)).toThrow(MalformedRequest);
  });
});
