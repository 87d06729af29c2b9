import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { fresh, refusal, signIn } from './support/attempt.js';
import { hostileOp, newOpKey, type Canned, type HostileOp } from './support/op.js';
import { HandClock, newConnection, newParty, ShortLimits } from './support/party.js';

// An IdP that is away, slow, broken, or somewhere else than it should be.

const clock = new HandClock();
let op: HostileOp;
let party: ReturnType<typeof newParty>;
let nth = 0;

beforeAll(async () => {
  op = await hostileOp(() => clock.now());
  party = newParty(clock, new ShortLimits());
});

beforeEach(() => op.reset());

afterAll(async () => {
  await party.close();
  await op.stop();
});

/** A connection that nothing is remembered of. */
const unknown = (change = {}) => newConnection(op.issuer, { id: `con_new_${(nth += 1)}`, ...change });
const attempt = (connection = unknown()) => signIn(party.protocol, connection, op);
const accepted = (connection = unknown()) => expect(attempt(connection)).resolves.toMatchObject({ subject: 'sub-1' });

const BROKEN: [string, Canned, RegExp][] = [
  ['500', { status: 500, body: '{"error":"x"}' }, /^idp_unreachable: .*status 500/],
  ['429', { status: 429, body: '{"error":"slow_down"}' }, /^idp_unreachable: .*status 429/],
  ['404', { status: 404, type: 'text/plain', body: 'no' }, /^idp_answer_invalid: .*status 404/],
  ['204', { status: 204 }, /^idp_answer_invalid: .*status 204/],
  [
    'a redirect (307)',
    { status: 307, headers: { location: '/elsewhere' } },
    /^idp_answer_invalid: .*redirects \(307\)/,
  ],
  [
    'a redirect (302)',
    { status: 302, headers: { location: '/elsewhere' } },
    /^idp_answer_invalid: .*redirects \(302\)/,
  ],
  ['a page', { type: 'text/html', body: '<h1>Sign in</h1>' }, /^idp_answer_invalid: .*JSON object \(text\/html\)/],
  ['a page that says it is JSON', { body: '<h1>Sign in</h1>' }, /^idp_answer_invalid: .*JSON object/],
  ['a list', { body: '[]' }, /^idp_answer_invalid: .*JSON object/],
  ['deeper than deep', { body: `{"a":${'['.repeat(9000)}${']'.repeat(9000)}}` }, /^idp_answer_invalid: .*JSON object/],
  ['nothing', {}, /^idp_answer_invalid: .*JSON object/],
  ['64 MiB', { bytes: 64 << 20 }, /^idp_answer_invalid: .*over \d+ bytes/],
  ['no answer', { hang: true }, /^idp_unreachable: .*timeout/],
];

describe.each(['/.well-known/openid-configuration', '/jwks', '/token'] as const)('%s', (path) => {
  it.each(BROKEN)(
    'answers with %s: a refusal that says so, and well again afterwards',
    async (_name, canned, expected) => {
      await accepted();
      const connection = unknown();
      op.tamper.canned[path] = canned;
      const outcome = await refusal(attempt(connection));
      expect(outcome).toMatch(expected);
      expect(outcome).toContain(path);
      expect(op.count('/elsewhere' as never)).toBe(0);
      if (path === '/token') expect(op.count('/token')).toBe(2);
      op.reset();
      await accepted(connection);
    },
  );
});

describe('the token endpoint', () => {
  it('names an error: it is in the message, without mark-up', async () => {
    await accepted();
    const body = JSON.stringify({ error: 'invalid_grant', error_description: 'Code <b>expired</b>' });
    op.tamper.canned['/token'] = { status: 400, body };
    expect(await refusal(attempt())).toBe('idp_error: The token endpoint answers with invalid_grant: Code bexpired/b');
    op.reset();
    await accepted();
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['no ID token', { id_token: undefined }, /^idp_answer_invalid: The token endpoint gives no ID token/],
    [
      'an ID token that is no text',
      { id_token: { sub: 'x' } },
      /^idp_answer_invalid: The token endpoint gives no ID token/,
    ],
    ['no access token', { access_token: undefined }, /^idp_answer_invalid: .*access token/],
    ['an access token with a line break', { access_token: 'a\r\nx: y' }, /^idp_answer_invalid: .*access token/],
    ['another kind of access token', { token_type: 'mac' }, /^idp_answer_invalid/],
    ['a lifetime that is none', { expires_in: 'soon' }, /^idp_answer_invalid/],
  ])('gives %s: refused', async (_name, token, expected) => {
    await accepted();
    op.tamper.token = token;
    expect(await refusal(attempt())).toMatch(expected);
    op.reset();
    await accepted();
  });
});

describe('discovery', () => {
  it.each<[string, () => Record<string, unknown>, RegExp]>([
    ['another issuer', () => ({ issuer: 'https://evil.example.com' }), /^issuer_mismatch/],
    ['the issuer with a slash', () => ({ issuer: `${op.issuer}/` }), /^issuer_mismatch/],
    ['no issuer', () => ({ issuer: undefined }), /^issuer_mismatch/],
    ['no token endpoint', () => ({ token_endpoint: undefined }), /^idp_answer_invalid: .*token_endpoint is missing/],
    ['no key set', () => ({ jwks_uri: undefined }), /^idp_answer_invalid: .*jwks_uri is missing/],
    ['no authorization endpoint', () => ({ authorization_endpoint: '' }), /^idp_answer_invalid: .*is missing/],
    ['javascript:', () => ({ authorization_endpoint: 'javascript:alert(1)' }), /^idp_answer_invalid: .*https/],
    ['javascript: at the end', () => ({ end_session_endpoint: 'javascript:alert(1)' }), /^idp_answer_invalid: .*https/],
    ['file:', () => ({ token_endpoint: 'file:///etc/passwd' }), /^idp_answer_invalid: .*https/],
    ['a password', () => ({ token_endpoint: 'https://a:b@idp.example.com/' }), /^idp_answer_invalid: .*password/],
    ['a list', () => ({ token_endpoint: [`${op.issuer}/token`] }), /^idp_answer_invalid: .*complete address/],
  ])('with %s: refused', async (_name, discovery, expected) => {
    await accepted();
    op.tamper.discovery = discovery();
    expect(await refusal(attempt())).toMatch(expected);
    op.reset();
    await accepted();
  });

  it('is asked once for many, again after ten minutes, and not for a while when that fails', async () => {
    const connection = unknown();
    const begin = () => party.protocol.begin(connection, { ...fresh(), prompt: null, loginHint: null });
    const asked = () => op.count('/.well-known/openid-configuration');
    await Promise.all(Array.from({ length: 20 }, begin));
    clock.advance(599);
    await begin();
    expect(asked()).toBe(1);
    clock.advance(1);
    op.tamper.canned['/.well-known/openid-configuration'] = { status: 503 };
    await begin();
    await begin();
    expect(asked()).toBe(2);
    clock.advance(60);
    await begin();
    expect(asked()).toBe(3);
    clock.advance(24 * 3600);
    expect(await refusal(begin())).toMatch(/^idp_unreachable/);
    op.reset();
    await begin();
  });

  it('that becomes another issuer is not believed, and neither is what was before', async () => {
    const connection = unknown();
    await accepted(connection);
    clock.advance(600);
    op.tamper.discovery = { issuer: 'https://evil.example.com' };
    expect(await refusal(attempt(connection))).toMatch(/^issuer_mismatch/);
    expect(await refusal(attempt(connection))).toMatch(/^issuer_mismatch/);
    op.reset();
    await accepted(connection);
  });

  it('of a changed connection is read anew', async () => {
    const connection = unknown();
    await accepted(connection);
    op.tamper.discovery = { issuer: 'https://evil.example.com' };
    expect(await refusal(attempt({ ...connection, version: 2 }))).toMatch(/^issuer_mismatch/);
    await accepted(connection);
  });
});

describe('the key set', () => {
  const original = () => op.signing;

  it('may change in mid-flight', async () => {
    const connection = unknown();
    await accepted(connection);
    const before = original();
    op.signing = await newOpKey('RS256', 'key-2');
    await Promise.all(Array.from({ length: 5 }, () => party.protocol.check(connection)));
    op.hits = {};
    await accepted(connection);
    expect(op.count('/jwks')).toBe(1);
    op.signing = before;
  });

  it('a hundred unknown keys cost two fetches', async () => {
    const connection = unknown();
    await accepted(connection);
    for (let i = 0; i < 100; i += 1) {
      op.tamper.idToken = async (header, claims) => {
        const [, rest] = (await op.sign(claims, header)).split(/\.(.*)/s);
        return `${Buffer.from(JSON.stringify({ ...header, kid: `made-up-${i}` })).toString('base64url')}.${rest}`;
      };
      expect(await refusal(attempt(connection))).toMatch(/^signature_invalid: The IdP has no key made-up-/);
    }
    expect(op.count('/jwks')).toBe(2);
    op.tamper.idToken = null;
    await accepted(connection);
    expect(op.count('/jwks')).toBe(2);
  });

  it('is asked for again a minute later, and not sooner', async () => {
    const connection = unknown();
    await accepted(connection);
    const before = original();
    op.signing = await newOpKey('RS256', 'key-3');
    op.tamper.keys = [before.jwk];
    expect(await refusal(attempt(connection))).toMatch(/^signature_invalid: The IdP has no key key-3/);
    op.tamper.keys = null;
    expect(await refusal(attempt(connection))).toMatch(/^signature_invalid/);
    clock.advance(60);
    await accepted(connection);
    op.signing = before;
  });

  it.each<[string, Canned]>([
    ['500', { status: 500 }],
    ['no answer', { hang: true }],
    ['64 MiB', { bytes: 64 << 20 }],
    ['no keys', { body: '{}' }],
  ])('that was good is used on while there is %s, and a new key is found when it is back', async (_name, canned) => {
    const connection = unknown();
    await accepted(connection);
    clock.advance(601);
    op.tamper.canned['/jwks'] = canned;
    await accepted(connection);
    await accepted(connection);
    const before = original();
    op.signing = await newOpKey('RS256', 'key-4');
    expect(await refusal(attempt(connection))).toMatch(/^idp_(unreachable|answer_invalid)/);
    op.reset();
    clock.advance(60);
    await accepted(connection);
    op.signing = before;
  });

  it('a wrong signature is one, be the key set away or not', async () => {
    const connection = unknown();
    await accepted(connection);
    const attacker = await newOpKey('RS256', 'key-1');
    op.tamper.idToken = (header, claims) => op.sign(claims, header, attacker);
    op.tamper.canned['/jwks'] = { status: 500 };
    expect(await refusal(attempt(connection))).toMatch(/^signature_invalid/);
    op.reset();
    await accepted(connection);
  });
});

describe('private addresses, where they are not allowed', () => {
  afterEach(() => (party.settings.allowPrivateDestinations = true));

  it('the issuer itself is not called', async () => {
    await accepted();
    op.reset();
    party.settings.allowPrivateDestinations = false;
    expect(await refusal(attempt())).toMatch(/^idp_unreachable: .*is not called: .*https/);
    const metadata = newConnection('https://169.254.169.254/latest', { id: 'con_metadata' });
    expect(await refusal(attempt(metadata))).toMatch(/^idp_unreachable: .*public address/);
    expect(await refusal(attempt({ ...metadata, issuer: 'https://[::1]' }))).toMatch(/public address/);
    expect(op.hits).toEqual({});
  });

  it.each(['https://169.254.169.254/token', 'https://127.0.0.1:8443/token', 'https://localhost/token'])(
    'what was announced (%s) is judged again when it is used',
    async (address) => {
      await accepted();
      const connection = unknown();
      op.tamper.discovery = { token_endpoint: address };
      const expected = fresh();
      await party.protocol.begin(connection, { ...expected, prompt: null, loginHint: null });
      party.settings.allowPrivateDestinations = false;
      const query = new URLSearchParams({ code: 'code-1', state: expected.state });
      expect(await refusal(party.protocol.finish(connection, query, expected))).toBe(
        `idp_unreachable: The token endpoint (${address}) is not called: the address must be a public address.`,
      );
      party.settings.allowPrivateDestinations = true;
      op.reset();
      await accepted();
    },
  );
});

it('a redirect is not followed to another server', async () => {
  let hits = 0;
  const canary = http.createServer((_req, res) => res.end(String((hits += 1))));
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  const location = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/`;
  for (const path of ['/.well-known/openid-configuration', '/jwks', '/token', '/userinfo'] as const) {
    op.tamper.canned[path] = { status: 307, headers: { location } };
    expect(await refusal(attempt(unknown({ userInfo: 'required' })))).toMatch(/redirects \(307\)/);
    op.reset();
  }
  expect(hits).toBe(0);
  canary.close();
  await accepted(unknown({ userInfo: 'required' }));
});

describe('a check', () => {
  it.each<[string, () => unknown, object, RegExp]>([
    ['an IdP that is away', () => (op.tamper.canned['/jwks'] = { status: 500 }), {}, /key set .*status 500/],
    ['another issuer', () => (op.tamper.discovery = { issuer: 'x' }), {}, /letter by letter/],
    ['no usable key', () => (op.tamper.keys = []), {}, /no key for signatures/],
    ['an algorithm that is not announced', () => {}, { idTokenAlg: 'ES256' }, /no key for signatures with ES256/],
    [
      'a way to prove oneself that is not announced',
      () => (op.tamper.discovery = { token_endpoint_auth_methods_supported: ['private_key_jwt'] }),
      {},
      /does not announce client_secret_basic, only private_key_jwt/,
    ],
    [
      'signatures that are not believed',
      () => (op.tamper.discovery = { id_token_signing_alg_values_supported: ['HS256'] }),
      {},
      /signs ID tokens only with HS256/,
    ],
    [
      'UserInfo that is missing',
      () => (op.tamper.discovery = { userinfo_endpoint: undefined }),
      { userInfo: 'required' },
      /UserInfo/,
    ],
  ])('finds %s', async (_name, tamper, change, problem) => {
    const connection = unknown(change);
    tamper();
    expect(await party.protocol.check(connection)).toEqual({ ok: false, problem: expect.stringMatching(problem) });
    op.reset();
    expect(await party.protocol.check(unknown())).toMatchObject({ ok: true, keys: 1 });
  });
});
