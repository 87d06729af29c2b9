import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { fresh, refusal } from './support/attempt.js';
import { type Canned } from './support/op.js';
import { newConnection } from './support/party.js';
import { unknownIdp } from './support/unknown-idp.js';

// An IdP that is away, slow, broken, or somewhere else than it should be.

const idp = unknownIdp();
const { unknown, attempt, accepted } = idp;

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
  ['a page', { type: 'text/html', body: '<h1>Sign in</h1>' }, /^idp_answer_invalid: .*an HTML page in place of JSON/],
  ['a page of another type', { type: 'text/plain', body: ' <!DOCTYPE html><p>' }, /^idp_answer_invalid: .*HTML page/],
  ['a page that says it is JSON', { body: '<h1>Sign in</h1>' }, /^idp_answer_invalid: .*JSON object/],
  ['a list', { body: '[]' }, /^idp_answer_invalid: .*JSON object/],
  ['deeper than deep', { body: `{"a":${'['.repeat(9000)}${']'.repeat(9000)}}` }, /^idp_answer_invalid: .*JSON object/],
  ['nothing', {}, /^idp_answer_invalid: .*JSON object/],
  ['64 MiB', { bytes: 64 << 20 }, /^idp_answer_invalid: .*over \d+ bytes/],
  ['no answer', { hang: true }, /^idp_unreachable: .*timeout/],
];

describe.each(['/.well-known/openid-configuration', '/jwks', '/token'] as const)('%s', (path) => {
  it.each(BROKEN)(
    'answers with %s: refuses with the reason, and works again afterwards',
    async (_name, canned, expected) => {
      await accepted();
      const connection = unknown();
      idp.op.tamper.canned[path] = canned;
      const outcome = await refusal(attempt(connection));
      expect(outcome).toMatch(expected);
      expect(outcome).toContain(path);
      expect(idp.op.count('/elsewhere' as never)).toBe(0);
      if (path === '/token') expect(idp.op.count('/token')).toBe(2);
      idp.op.reset();
      await accepted(connection);
    },
  );
});

describe('the token endpoint', () => {
  it('names an error, which is in the message without markup', async () => {
    await accepted();
    const body = JSON.stringify({ error: 'invalid_grant', error_description: 'Code <b>expired</b>' });
    idp.op.tamper.canned['/token'] = { status: 400, body };
    expect(await refusal(attempt())).toBe('idp_error: The token endpoint answers with invalid_grant: Code bexpired/b');
    idp.op.reset();
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
  ])('answers with %s and is refused', async (_name, token, expected) => {
    await accepted();
    idp.op.tamper.token = token;
    expect(await refusal(attempt())).toMatch(expected);
    idp.op.reset();
    await accepted();
  });
});

describe('private addresses, when they are not allowed', () => {
  afterEach(() => (idp.party.settings.allowPrivateDestinations = true));

  it('are not called as the issuer', async () => {
    await accepted();
    idp.op.reset();
    idp.party.settings.allowPrivateDestinations = false;
    expect(await refusal(attempt())).toMatch(/^idp_unreachable: .*is not called: .*https/);
    const metadata = newConnection('https://169.254.169.254/latest', { id: 'con_metadata' });
    expect(await refusal(attempt(metadata))).toMatch(/^idp_unreachable: .*public address/);
    expect(await refusal(attempt({ ...metadata, issuer: 'https://[::1]' }))).toMatch(/public address/);
    expect(idp.op.hits).toEqual({});
  });

  it.each(['https://169.254.169.254/token', 'https://127.0.0.1:8443/token', 'https://localhost/token'])(
    'are checked again when an announced address is used (%s)',
    async (address) => {
      await accepted();
      const connection = unknown();
      idp.op.tamper.discovery = { token_endpoint: address };
      const expected = fresh();
      await idp.party.protocol.begin(connection, { ...expected, prompt: null, loginHint: null });
      idp.party.settings.allowPrivateDestinations = false;
      const query = new URLSearchParams({ code: 'code-1', state: expected.state });
      expect(await refusal(idp.party.protocol.finish(connection, query, expected))).toBe(
        `idp_unreachable: The token endpoint (${address}) is not called: the address must be a public address (for trials the operator can allow private addresses and plain http with ALLOW_PRIVATE_DESTINATIONS=true).`,
      );
      idp.party.settings.allowPrivateDestinations = true;
      idp.op.reset();
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
    idp.op.tamper.canned[path] = { status: 307, headers: { location } };
    expect(await refusal(attempt(unknown({ userInfo: 'required' })))).toMatch(/redirects \(307\)/);
    idp.op.reset();
  }
  expect(hits).toBe(0);
  canary.close();
  await accepted(unknown({ userInfo: 'required' }));
});

describe('a check', () => {
  it.each<[string, () => unknown, object, RegExp]>([
    ['an IdP that is away', () => (idp.op.tamper.canned['/jwks'] = { status: 500 }), {}, /key set .*status 500/],
    ['another issuer', () => (idp.op.tamper.discovery = { issuer: 'x' }), {}, /letter by letter/],
    ['no usable key', () => (idp.op.tamper.keys = []), {}, /no key for signatures/],
    ['an algorithm that is not announced', () => {}, { idTokenAlg: 'ES256' }, /no key for signatures with ES256/],
    [
      'a way to prove oneself that is not announced',
      () => (idp.op.tamper.discovery = { token_endpoint_auth_methods_supported: ['private_key_jwt'] }),
      {},
      /does not announce client_secret_basic, only private_key_jwt/,
    ],
    [
      'signatures that are not believed',
      () => (idp.op.tamper.discovery = { id_token_signing_alg_values_supported: ['HS256'] }),
      {},
      /signs ID tokens only with HS256/,
    ],
    [
      'UserInfo that is missing',
      () => (idp.op.tamper.discovery = { userinfo_endpoint: undefined }),
      { userInfo: 'required' },
      /UserInfo/,
    ],
  ])('finds %s', async (_name, tamper, change, problem) => {
    const connection = unknown(change);
    tamper();
    expect(await idp.party.protocol.check(connection)).toEqual({ ok: false, problem: expect.stringMatching(problem) });
    idp.op.reset();
    expect(await idp.party.protocol.check(unknown())).toMatchObject({ ok: true, keys: 1 });
  });
});
