import { generateKeyPairSync } from 'node:crypto';
import {
  checkAssertion,
  newClientId,
  tenantOfClient,
  secretEnd,
  clientProblems,
  type ClientSettings,
  readTokenRequest,
} from '../../../src/directory-sync/clients/client.rules.js';
import type { SignedToken } from '../../../src/protocols/oidc/jwt.rules.js';

describe('client assertion', () => {
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

  it.each([
    null,
    'jwt',
    'jws',
    'application/jwt',
    'client-authentication+jwt',
    'application/client-authentication+jwt',
  ])('accepts the type %s', (typ) => expect(reasonOf(token({}, typ))).toBe('none'));

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
});

describe('client id', () => {
  const TENANT = 'ten_01k0000000abcdefghjkmnpqrs';

  it('names its tenant', () => {
    const id = newClientId(TENANT);
    expect(id).toMatch(/^cli_01k0000000abcdefghjkmnpqrs_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(tenantOfClient(id)).toBe(TENANT);
  });

  it.each([
    '',
    'cli_',
    'cli_x_01k0000000abcdefghjkmnpqrs',
    `${newClientId(TENANT)}\0`,
    `${newClientId(TENANT)}0`,
    TENANT,
  ])('is not read from %j', (text) => expect(tenantOfClient(text)).toBeNull());
});

describe('client secret', () => {
  const NOW = new Date('2026-03-01T00:00:00Z');
  const inDays = (days: number) => new Date(NOW.getTime() + days * 86_400_000);

  it('ends in a year unless set', () => {
    expect(secretEnd(undefined, NOW)).toEqual(inDays(365));
    expect(secretEnd(inDays(1_096), NOW)).toEqual(inDays(1_096));
  });

  it.each([
    ['in the past', -1],
    ['now', 0],
    ['after more than three years', 1_100],
  ])('does not end %s', (_, days) => expect(() => secretEnd(inDays(days), NOW)).toThrow('Some fields are not valid.'));
});

describe('client settings', () => {
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
});

describe('token request', () => {
  const GRANT = { grant_type: 'client_credentials' };
  const TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;
  const read = (fields: Record<string, string>, ...headers: string[]) =>
    readTokenRequest(new Map(Object.entries(fields)) as Parameters<typeof readTokenRequest>[0], headers);
  const codeOf = (fields: Record<string, string>, ...headers: string[]): string => {
    try {
      read(fields, ...headers);
    } catch (error) {
      return (error as { code: string }).code;
    }
    return 'none';
  };

  it('reads a secret of the form, and of the header', () => {
    const proof = { kind: 'secret', clientId: 'cli_1', secret: 's' };
    expect(read({ ...GRANT, client_id: 'cli_1', client_secret: 's', scope: 'x', other: 'y' })).toEqual(proof);
    expect(read(GRANT, basic('cli_1:s'))).toEqual(proof);
    expect(read({ ...GRANT, client_id: 'cli_1' }, basic('cli_1:s'))).toEqual(proof);
    expect(read(GRANT, basic('cli%5F1:a%3Ab+c'))).toEqual({ ...proof, secret: 'a:b c' });
  });

  it('reads an assertion with the id of the client, or without', () => {
    const fields = { ...GRANT, client_assertion: 'a.b.c', client_assertion_type: TYPE };
    expect(read({ ...fields, client_id: 'cli_1' })).toEqual({
      kind: 'assertion',
      clientId: 'cli_1',
      assertion: 'a.b.c',
    });
    expect(read(fields)).toMatchObject({ clientId: null });
  });

  it.each<[string, Record<string, string>, string[], string]>([
    ['without a grant', { client_id: 'c', client_secret: 's' }, [], 'invalid_request'],
    ['with another grant', { grant_type: 'password' }, [], 'unsupported_grant_type'],
    ['without authentication', GRANT, [], 'invalid_client'],
    ['with an id alone', { ...GRANT, client_id: 'c' }, [], 'invalid_client'],
    ['with a secret and a header', { ...GRANT, client_id: 'c', client_secret: 's' }, [basic('c:s')], 'invalid_request'],
    [
      'with a secret and an assertion',
      { ...GRANT, client_id: 'c', client_secret: 's', client_assertion: 'a', client_assertion_type: TYPE },
      [],
      'invalid_request',
    ],
    ['with an assertion and a header', { ...GRANT, client_assertion: 'a' }, [basic('c:s')], 'invalid_request'],
    ['with two headers', GRANT, [basic('c:s'), basic('c:s')], 'invalid_request'],
    ['with a secret without an id', { ...GRANT, client_secret: 's' }, [], 'invalid_request'],
    ['with an assertion without a type', { ...GRANT, client_assertion: 'a' }, [], 'invalid_request'],
    ['with a type without an assertion', { ...GRANT, client_assertion_type: TYPE }, [], 'invalid_request'],
    ['with another id than the header', { ...GRANT, client_id: 'd' }, [basic('c:s')], 'invalid_request'],
    ['with a bearer token', GRANT, ['Bearer x'], 'invalid_client'],
    ['with a header that is no base64', GRANT, ['Basic %%%'], 'invalid_client'],
    ['with a header without a colon', GRANT, [basic('c')], 'invalid_client'],
    ['with a header without an id', GRANT, [basic(':s')], 'invalid_client'],
    ['with a broken percent sign', GRANT, [basic('c:%')], 'invalid_client'],
  ])('is refused %s', (_, fields, headers, code) => expect(codeOf(fields, ...headers)).toBe(code));
});
