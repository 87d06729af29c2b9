import { createHash } from 'node:crypto';
import { fresh, refusal, signIn } from './support/attempt.js';
import { hostileOp, type HostileOp } from './support/op.js';
import { HandClock, newConnection, newParty } from './support/party.js';

// What goes to the IdP by way of the browser, and what the browser brings back.

const clock = new HandClock();
let op: HostileOp;
let party: ReturnType<typeof newParty>;

beforeAll(async () => {
  op = await hostileOp(() => clock.now());
  party = newParty(clock);
});

beforeEach(() => op.reset());

afterAll(async () => {
  await party.close();
  await op.stop();
});

const attempt = (answer = {}, change = {}) => signIn(party.protocol, newConnection(op.issuer, change), op, answer);
const accepted = (change = {}) => expect(attempt({}, change)).resolves.toMatchObject({ subject: 'sub-1' });

describe('the request to the IdP', () => {
  it('carries state, nonce and the challenge, and not the verifier', async () => {
    const ask = { ...fresh(), prompt: null, loginHint: null };
    const url = new URL(await party.protocol.begin(newConnection(op.issuer, { scopes: ['email'] }), ask));
    expect(`${url.origin}${url.pathname}`).toBe(`${op.issuer}/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      tier: 'gold',
      client_id: 'client-1',
      response_type: 'code',
      redirect_uri: 'https://app.example.com/api/auth/callback/acme',
      scope: 'openid email',
      state: ask.state,
      nonce: ask.nonce,
      code_challenge: createHash('sha256').update(ask.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
  });

  it('carries the options of the connection and of the user', async () => {
    const connection = newConnection(op.issuer, { maxAgeSeconds: 300, acrValues: ['mfa', 'phrh'] });
    const ask = { ...fresh(), prompt: 'select_account', loginHint: 'ada@example.com' } as const;
    const { searchParams } = new URL(await party.protocol.begin(connection, ask));
    expect(Object.fromEntries(searchParams)).toMatchObject({
      max_age: '300',
      acr_values: 'mfa phrh',
      prompt: 'select_account',
      login_hint: 'ada@example.com',
    });
  });
});

describe('the answer of the IdP', () => {
  beforeEach(() => accepted());
  afterEach(() => accepted());

  it('sends the code once, with the verifier, and by Basic', async () => {
    op.reset();
    await accepted({ clientSecret: 'secret 1:%' });
    expect(op.exchanges).toHaveLength(1);
    const [{ form, authorization }] = op.exchanges as [(typeof op.exchanges)[0]];
    expect(Object.fromEntries(form)).toEqual({
      grant_type: 'authorization_code',
      code: 'code-1',
      redirect_uri: 'https://app.example.com/api/auth/callback/acme',
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(authorization).toBe(`Basic ${Buffer.from('client-1:secret+1%3A%25').toString('base64')}`);
  });

  it.each<[string, Record<string, string | undefined>, RegExp]>([
    ['another state', { state: 'other' }, /^state_unknown/],
    ['no state', { state: undefined }, /^state_unknown/],
    ['an empty state', { state: '' }, /^state_unknown/],
    ['the iss of another IdP', { iss: 'https://evil.example.com' }, /^issuer_mismatch/],
    ['an empty iss', { iss: '' }, /^issuer_mismatch/],
    ['no code', { code: undefined }, /^idp_answer_invalid/],
    ['an empty code', { code: '' }, /^idp_answer_invalid/],
    ['a huge code', { code: 'c'.repeat(9000) }, /^idp_answer_invalid/],
    ['an error', { code: undefined, error: 'access_denied' }, /^idp_error: The IdP answers with access_denied\.$/],
    ['an error beside a code', { error: 'login_required' }, /^idp_error: The IdP answers with login_required\.$/],
    [
      'an error in mark-up',
      { error: '<script>' },
      /^idp_error: The IdP answers with an error without a usable code\.$/,
    ],
    ['an error of another IdP', { error: 'access_denied', iss: 'https://evil.example.com' }, /^issuer_mismatch/],
    ['an ID token in the query', { id_token: 'x.y.z' }, /^idp_answer_invalid/],
    ['a wrapped answer (JARM)', { response: 'x.y.z' }, /^idp_answer_invalid/],
  ])('%s: is refused, and the code is not sent', async (_name, answer, expected) => {
    const before = op.count('/token');
    expect(await refusal(attempt(answer))).toMatch(expected);
    expect(op.count('/token')).toBe(before);
  });

  it('is shortened and without markup when it is an error', async () => {
    const description = `AADSTS50105: <img src=x onerror="alert(1)">\u0000\u202e${'no no '.repeat(200)}`;
    const outcome = await refusal(attempt({ code: undefined, error: 'access_denied', error_description: description }));
    expect(outcome).toMatch(
      /^idp_error: The IdP answers with access_denied: AADSTS50105: img src=x onerror=alert\(1\)[no ]+…$/,
    );
    expect(outcome.length).toBeLessThan(300);
  });

  it('is not repeated in the message when it has a token', async () => {
    const jwt = await op.sign({ sub: 'x' });
    const error_description = `Token ${jwt} is not known. Trace ID: 7f1c9a70-2b3d-4c5e-8f90-0123456789ab`;
    expect(await refusal(attempt({ code: undefined, error: 'server_error', error_description }))).toBe(
      'idp_error: The IdP answers with server_error: Token … is not known. Trace ID: 7f1c9a70-2b3d-4c5e-8f90-0123456789ab',
    );
  });

  it.each(['code', 'state', 'iss', 'error', 'session_state'])('is refused with %s twice', async (name) => {
    const expected = fresh();
    const query = new URLSearchParams({ code: 'code-1', state: expected.state });
    query.set(name, query.get(name) ?? op.issuer);
    query.append(name, query.get(name)!);
    const before = op.count('/token');
    const outcome = await refusal(party.protocol.finish(newConnection(op.issuer), query, expected));
    expect(outcome).toBe(`idp_answer_invalid: The answer of the IdP has ${name} more than once.`);
    expect(op.count('/token')).toBe(before);
  });

  it('needs iss from an IdP that announces it, and may have it from others', async () => {
    const change = { id: 'con_iss' };
    op.tamper.discovery = { authorization_response_iss_parameter_supported: true };
    await expect(attempt({ iss: op.issuer }, change)).resolves.toMatchObject({ subject: 'sub-1' });
    const before = op.count('/token');
    expect(await refusal(attempt({}, change))).toMatch(/^issuer_mismatch: .*promised/);
    expect(await refusal(attempt({ iss: `${op.issuer}/` }, change))).toMatch(/^issuer_mismatch/);
    expect(op.count('/token')).toBe(before);
    await expect(attempt({ iss: op.issuer }, change)).resolves.toMatchObject({ subject: 'sub-1' });
    await expect(attempt({ iss: op.issuer })).resolves.toMatchObject({ subject: 'sub-1' });
  });
});

describe('UserInfo', () => {
  const read = (userInfo: 'never' | 'optional' | 'required', tamper: () => void = () => {}) => {
    op.reset();
    tamper();
    return attempt({}, { userInfo });
  };

  it('is not requested when the connection does not use it', async () => {
    await read('never');
    expect(op.count('/userinfo')).toBe(0);
  });

  it('adds claims, and the ID token wins', async () => {
    const tamper = () =>
      (op.tamper.userInfo = { email: 'eve@example.com', email_verified: true, acr: 'mfa', sid: 'other' });
    const { claims, authContext, idpSession } = await read('required', tamper);
    expect(claims).toMatchObject({ sub: 'sub-1', email: 'ada@example.com', given_name: 'Ada' });
    // It was said of another address.
    expect(claims['email_verified']).toBeUndefined();
    expect({ authContext, idpSession }).toEqual({ authContext: null, idpSession: 'sid-1' });
  });

  it.each(['optional', 'required'] as const)('is refused when it is of another user (%s)', async (mode) => {
    await read(mode);
    const other = read(mode, () => (op.tamper.userInfo = { sub: 'sub-2' }));
    expect(await refusal(other)).toMatch(/^userinfo_mismatch/);
    await expect(read(mode)).resolves.toMatchObject({ claims: { given_name: 'Ada' }, userInfoProblem: null });
  });

  it.each<[string, HostileOp['tamper']['canned']['/userinfo'], RegExp]>([
    ['500', { status: 500 }, /status 500/],
    ['401', { status: 401, body: '{}' }, /status 401/],
    ['a redirect', { status: 302, headers: { location: '/jwks' } }, /redirects \(302\)/],
    ['a page', { type: 'text/html', body: '<p>' }, /JSON/],
    ['no sub', { body: '{"email":"x@example.com"}' }, /refused/],
    ['64 MiB', { bytes: 64 << 20 }, /over 65536 bytes/],
  ])('%s: is a refusal when it is required, and noted when it is optional', async (_name, canned, problem) => {
    const tamper = () => (op.tamper.canned['/userinfo'] = canned!);
    expect(await refusal(read('required', tamper))).toMatch(problem);
    const verified = await read('optional', tamper);
    expect(verified).toMatchObject({ subject: 'sub-1', userInfoProblem: expect.stringMatching(problem) });
    expect(verified.claims).not.toHaveProperty('given_name');
    await expect(read('required')).resolves.toMatchObject({ claims: { given_name: 'Ada' } });
  });

  it('is a refusal when it is required and the IdP has none', async () => {
    op.tamper.discovery = { userinfo_endpoint: undefined };
    expect(await refusal(attempt({}, { id: 'con_none', userInfo: 'required' }))).toMatch(
      /^idp_answer_invalid: .*no UserInfo/,
    );
    await expect(attempt({}, { id: 'con_none', userInfo: 'optional' })).resolves.toMatchObject({ subject: 'sub-1' });
  });
});

describe('the logout at the IdP', () => {
  it('has an address, and null when the IdP offers none or is not available', async () => {
    const connection = newConnection(op.issuer, { id: 'con_out' });
    const url = new URL((await party.protocol.endSession(connection, { idToken: 'a.b.c', state: 's' }))!);
    expect(url.pathname).toBe('/logout');
    expect(Object.fromEntries(url.searchParams)).toEqual({
      id_token_hint: 'a.b.c',
      client_id: 'client-1',
      post_logout_redirect_uri: 'https://app.example.com/api/auth/signed-out',
      state: 's',
    });
    const bare = new URL((await party.protocol.endSession(connection, { idToken: 'x'.repeat(7000), state: 's' }))!);
    expect(bare.searchParams.has('id_token_hint')).toBe(false);

    op.tamper.discovery = { end_session_endpoint: undefined };
    const ask = { idToken: null, state: 's' };
    expect(await party.protocol.endSession({ ...connection, version: 2 }, ask)).toBeNull();
    op.tamper.canned['/.well-known/openid-configuration'] = { status: 500 };
    expect(await party.protocol.endSession({ ...connection, version: 3 }, ask)).toBeNull();
  });
});
