import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { SystemClock } from '../../../src/base/clock.js';
import { newClientKey, publicPart } from '../../../src/protocols/oidc/client-keys.js';
import { fresh, refusal } from './support/attempt.js';
import { newConnection, newParty } from './support/party.js';
import { startProvider, TinyBrowser, type RunningProvider } from './support/provider-process.js';
import type { OidcSettings } from '../../../src/protocols/oidc/oidc-settings.js';

// A whole sign-in at a real OpenID provider that is not ours.

const CALLBACK = 'https://app.example.com/api/auth/callback/acme';
const SIGNED_OUT = 'https://app.example.com/api/auth/signed-out';

const party = newParty(new SystemClock());
let provider: RunningProvider;
let change: Record<string, Partial<OidcSettings>>;
let receiver: http.Server;
let received: { token: Promise<string>; next: () => void };

beforeAll(async () => {
  const es256 = await newClientKey('ES256');
  const rs256 = await newClientKey('RS256');
  receiver = await backChannel();
  const uri = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/backchannel`;
  const client = (id: string, method: string, more: object = {}) => ({
    client_id: id,
    client_secret: 'a secret with : and % and + in it',
    redirect_uris: [CALLBACK],
    post_logout_redirect_uris: [SIGNED_OUT],
    token_endpoint_auth_method: method,
    backchannel_logout_uri: uri,
    backchannel_logout_session_required: true,
    ...more,
  });
  const secret = 'a secret with : and % and + in it';
  change = {
    client_secret_basic: { clientId: 'basic', tokenAuth: 'client_secret_basic', clientSecret: secret },
    client_secret_post: { clientId: 'post', tokenAuth: 'client_secret_post', clientSecret: secret },
    'private_key_jwt with ES256': jwtClient('jwt-es', es256),
    'private_key_jwt with RS256': jwtClient('jwt-rs', rs256),
  };
  provider = await startProvider({
    clients: [
      client('basic', 'client_secret_basic'),
      client('post', 'client_secret_post'),
      client('jwt-es', 'private_key_jwt', { jwks: { keys: [publicPart({ ...es256 })] } }),
      client('jwt-rs', 'private_key_jwt', { jwks: { keys: [publicPart({ ...rs256 })] } }),
    ],
    accounts: {
      ada: {
        sub: 'sub-ada',
        email: 'ada@example.com',
        email_verified: true,
        given_name: 'Ada',
        family_name: 'Lovelace',
        groups: ['recruiters'],
        oid: 'oid-ada',
      },
      bob: { sub: 'sub-bob', email: 'bob@example.com' },
    },
  });
});

afterAll(async () => {
  await provider.stop();
  await party.close();
  receiver.close();
});

const jwtClient = (clientId: string, key: object): Partial<OidcSettings> => ({
  clientId,
  tokenAuth: 'private_key_jwt',
  clientSecret: null,
  privateKey: { ...key },
});

const connectionFor = (how: string, more: Partial<OidcSettings> = {}): OidcSettings =>
  newConnection(provider.issuer, { ...change[how], id: how, ...more });

/** Signs in by the form, as a person would. */
async function signIn(
  connection: OidcSettings,
  user: string,
  browser = new TinyBrowser(),
  prompt: 'login' | null = null,
) {
  const expected = fresh();
  const begun = await party.protocol.begin(connection, { ...expected, prompt, loginHint: null });
  const page = await browser.go(begun, CALLBACK);
  const end =
    page.html === null
      ? page
      : await browser.submit(page, /action="([^"]+login)"/.exec(page.html)![1]!, { user }, CALLBACK);
  return { expected, query: end.url.searchParams, form: page.html !== null };
}

describe.each([
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt with ES256',
  'private_key_jwt with RS256',
])('a sign-in with %s', (how) => {
  it('returns the user and the claims', async () => {
    const connection = connectionFor(how, { userInfo: 'required' });
    const { query, expected } = await signIn(connection, 'ada');
    const verified = await party.protocol.finish(connection, query, expected);
    expect(verified).toMatchObject({ subject: 'sub-ada', userInfoProblem: null });
    expect(verified.claims).toMatchObject({ email: 'ada@example.com', given_name: 'Ada', groups: ['recruiters'] });
    expect(verified.idToken).toMatch(/^eyJ/);
  });

  it('is refused with another secret or key', async () => {
    const wrong = how.startsWith('private') ? { privateKey: { ...(await newClientKey()) } } : { clientSecret: 'other' };
    const connection = connectionFor(how, wrong);
    const { query, expected } = await signIn(connection, 'ada');
    expect(await refusal(party.protocol.finish(connection, query, expected))).toMatch(/^idp_error: .*invalid_client/);
  });
});

it('accepts a code once, and only with its own verifier', async () => {
  const connection = connectionFor('client_secret_basic');
  const first = await signIn(connection, 'ada');
  await party.protocol.finish(connection, first.query, first.expected);
  expect(await refusal(party.protocol.finish(connection, first.query, first.expected))).toMatch(
    /^idp_error: .*invalid_grant/,
  );

  const second = await signIn(connection, 'ada');
  const { codeVerifier } = fresh();
  expect(await refusal(party.protocol.finish(connection, second.query, { ...second.expected, codeVerifier }))).toMatch(
    /^idp_error: .*invalid_grant/,
  );
});

it('reports an error of the IdP when the user declines', async () => {
  const connection = connectionFor('client_secret_basic');
  const expected = fresh();
  const browser = new TinyBrowser();
  const page = await browser.go(
    await party.protocol.begin(connection, { ...expected, prompt: null, loginHint: 'ada' }),
    CALLBACK,
  );
  expect(page.html).toContain('value="ada"');
  const end = await browser.submit(page, /action="([^"]+abort)"/.exec(page.html!)![1]!, {}, CALLBACK);
  expect(await refusal(party.protocol.finish(connection, end.url.searchParams, expected))).toBe(
    'idp_error: The IdP answers with access_denied: They said no',
  );
});

it('shows the form again only on request', async () => {
  const connection = connectionFor('client_secret_basic', { maxAgeSeconds: 3600 });
  const browser = new TinyBrowser();
  expect((await signIn(connection, 'ada', browser)).form).toBe(true);
  const silent = await signIn(connection, 'ada', browser);
  expect(silent.form).toBe(false);
  await expect(party.protocol.finish(connection, silent.query, silent.expected)).resolves.toMatchObject({
    subject: 'sub-ada',
  });
  expect((await signIn(connection, 'ada', browser, 'login')).form).toBe(true);
});

it('lets the user choose another account', async () => {
  const connection = connectionFor('client_secret_basic');
  const browser = new TinyBrowser();
  await signIn(connection, 'ada', browser);
  const expected = fresh();
  const ask = { ...expected, prompt: 'select_account', loginHint: null } as const;
  const page = await browser.go(await party.protocol.begin(connection, ask), CALLBACK);
  expect(page.html).toContain('select_account');
  const action = /action="([^"]+login)"/.exec(page.html!)![1]!;
  // oidc-provider first ends the session of the other account: by a form that a browser with scripts sends without a click.
  const leave = await browser.submit(page, action, { user: 'bob' }, CALLBACK);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(leave.html!)![1]!;
  const end = await browser.submit(leave, '/session/end/confirm', { xsrf, logout: 'yes' }, CALLBACK);
  await expect(party.protocol.finish(connection, end.url.searchParams, expected)).resolves.toMatchObject({
    subject: 'sub-bob',
    claims: { email: 'bob@example.com' },
  });
});

it('signs out at the IdP and comes back, and the IdP sends a back-channel logout', async () => {
  const connection = connectionFor('client_secret_basic');
  const browser = new TinyBrowser();
  const { query, expected } = await signIn(connection, 'ada', browser);
  const { idToken, idpSession } = await party.protocol.finish(connection, query, expected);
  received.next();
  const url = await party.protocol.endSession(connection, { idToken, state: 'out-1' });
  const end = await browser.go(url!, SIGNED_OUT);
  expect(end.url.href).toBe(`${SIGNED_OUT}?state=out-1`);

  const demand = await party.protocol.readLogoutToken(connection, await received.token);
  expect(demand).toMatchObject({ sid: idpSession, once: { id: expect.any(String) } });
  expect(idpSession).not.toBeNull();
  // The same IdP's ID token is no demand to end anything.
  expect(await refusal(party.protocol.readLogoutToken(connection, idToken))).toMatch(/^token_refused/);
  expect((await signIn(connection, 'ada', browser)).form).toBe(true);
});

it('reports a good check', async () => {
  expect(await party.protocol.check(connectionFor('client_secret_basic'))).toMatchObject({
    ok: true,
    server: { issuer: provider.issuer, tokenEndpoint: `${provider.issuer}/token` },
  });
});

async function backChannel(): Promise<http.Server> {
  let took: (token: string) => void;
  const next = (): void => {
    received = { next, token: new Promise((resolve) => (took = resolve)) };
  };
  next();
  const server = http.createServer((req, res) => {
    let body = '';
    req.on('data', (chunk: Buffer) => (body += chunk.toString()));
    req.on('end', () => {
      took(new URLSearchParams(body).get('logout_token') ?? '');
      res.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
