/**
 * A real OpenID provider (oidc-provider) as a process of its own: `node provider.mjs '<json>'`. Prints one line of JSON,
 * `{ "issuer": … }`, when it listens, and ends when its standard input does.
 *
 * The configuration:
 *   port       0 or left out: any
 *   host       the name in the issuer, `127.0.0.1` unless set; browsers keep the cookies of another name apart
 *   clients    as oidc-provider takes them (client_id, redirect_uris, token_endpoint_auth_method, jwks, …)
 *   accounts   user name → claims; `sub` is the user name unless set
 *   autoLogin  a user name: signs in without a form. Left out: a form with a field `user` and a button
 *   alg        of ID tokens: RS256 unless set; ES256, PS256, EdDSA
 *
 * GET /session/end signs out at once, with no page in between.
 */
import http from 'node:http';

// oidc-provider has much advice for production; what others read here is one line.
console.info = console.warn = () => {};
const { default: Provider, interactionPolicy } = await import('oidc-provider');
const { exportJWK, generateKeyPair } = await import('jose');

const config = JSON.parse(process.argv[2] ?? '{}');
const host = config.host ?? '127.0.0.1';
const alg = config.alg ?? 'RS256';
const server = http.createServer();
await new Promise((resolve) => server.listen(config.port ?? 0, '127.0.0.1', resolve));
const issuer = `http://${host}:${server.address().port}`;

const accountOf = (id) => {
  const claims = config.accounts?.[id];
  return claims === undefined ? undefined : { accountId: claims.sub ?? id, claims: { sub: id, ...claims } };
};
const bySubject = new Map(Object.keys(config.accounts ?? {}).map((id) => [accountOf(id).accountId, accountOf(id)]));

async function privateKey(kind) {
  const { privateKey: key } = await generateKeyPair(kind, { extractable: true });
  return { ...(await exportJWK(key)), use: 'sig', alg: kind, kid: `${kind}-1` };
}

const policy = interactionPolicy.base();
policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);

const provider = new Provider(issuer, {
  clients: (config.clients ?? []).map((client) => ({ id_token_signed_response_alg: alg, ...client })),
  jwks: { keys: await Promise.all([...new Set([alg, 'RS256', 'ES256'])].map(privateKey)) },
  cookies: { keys: ['provider-of-tests'] },
  conformIdTokenClaims: false,
  claims: {
    openid: ['sub', 'sid', 'groups', 'oid', 'tid'],
    email: ['email', 'email_verified'],
    profile: ['name', 'preferred_username', 'given_name', 'family_name'],
    acr: null,
    auth_time: null,
    iss: null,
  },
  clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
  enabledJWA: { idTokenSigningAlgValues: ['RS256', 'PS256', 'ES256', 'EdDSA'] },
  interactions: { policy, url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
  features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
  // By default it calls no address of this machine, and this machine is where the tests are.
  fetch: (url, options) => globalThis.fetch(url, { ...options, dispatcher: undefined }),
  pkce: { required: () => true },
  findAccount: (_ctx, sub) => {
    const account = bySubject.get(sub);
    return account && { accountId: sub, claims: () => account.claims };
  },
  // Every request of a client is granted: consent is not what is tested here.
  loadExistingGrant: async (ctx) => {
    const { client, session, params } = ctx.oidc;
    const grant = new ctx.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
    grant.addOIDCScope(params.scope ?? 'openid');
    await grant.save();
    return grant;
  },
});
provider.on('server_error', (_ctx, error) => process.stderr.write(`${error.stack}\n`));
provider.on('backchannel.error', (_ctx, error) => process.stderr.write(`back-channel logout: ${error.message}\n`));

const answer = provider.callback();
server.on('request', (req, res) => {
  handle(req, res).catch((error) => {
    process.stderr.write(`${error.stack}\n`);
    if (!res.headersSent) res.writeHead(400, { 'content-type': 'text/plain' });
    res.end('this went wrong');
  });
});
process.stdin.on('end', () => process.exit(0)).resume();
process.stdout.write(`${JSON.stringify({ issuer })}\n`);

async function handle(req, res) {
  const { pathname } = new URL(req.url, issuer);
  const interaction = /^\/interaction\/[\w-]+(\/login|\/abort)?$/.exec(pathname);
  if (interaction !== null) return interact(req, res, interaction[1]);
  if (pathname === '/session/end' && req.method === 'GET' && req.headers['x-as-is'] === undefined) {
    return signOut(req, res);
  }
  return answer(req, res);
}

async function interact(req, res, step) {
  const { uid, prompt, params } = await provider.interactionDetails(req, res);
  if (step === '/abort') {
    return provider.interactionFinished(req, res, { error: 'access_denied', error_description: 'They said no' });
  }
  const user = step === '/login' ? new URLSearchParams(await text(req)).get('user') : (config.autoLogin ?? null);
  const account = user === null ? undefined : accountOf(user);
  if (account === undefined) return page(res, form(uid, prompt.name, params.login_hint, user));
  // All that was asked for is answered at once; a later sign-in that asks again is an interaction of its own.
  return provider.interactionFinished(req, res, {
    login: { accountId: account.accountId, acr: account.claims.acr },
    select_account: {},
  });
}

/** Says yes for the person: oidc-provider would show a page with a form. */
async function signOut(req, res) {
  const cookie = req.headers.cookie ?? '';
  const asked = await fetch(`${issuer}${req.url}`, { headers: { cookie, 'x-as-is': '1' }, redirect: 'manual' });
  const html = await asked.text();
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(html);
  if (xsrf === null) return void res.writeHead(asked.status, { 'content-type': 'text/html' }).end(html);
  const set = asked.headers.getSetCookie();
  const done = await fetch(`${issuer}/session/end/confirm`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie: withNew(cookie, set), 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ xsrf: xsrf[1], logout: 'yes' }),
  });
  const cookies = [...set, ...done.headers.getSetCookie()];
  res.writeHead(done.status, { location: done.headers.get('location') ?? '/', 'set-cookie': cookies });
  res.end(await done.text());
}

function withNew(cookie, set) {
  const jar = new Map(
    [...cookie.split('; '), ...set.map((one) => one.split(';')[0])].filter(Boolean).map((pair) => pair.split(/=(.*)/s)),
  );
  return [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
}

function form(uid, prompt, hint, tried) {
  const problem = tried === null ? '' : `<p role="alert">There is no account ${escaped(tried)}.</p>`;
  return `<h1>Sign in</h1>${problem}<p>Asked for: ${escaped(prompt)}</p>
    <form method="post" action="/interaction/${uid}/login">
      <label>User name <input name="user" required autofocus value="${escaped(hint ?? '')}"></label>
      <button type="submit">Sign in</button>
    </form>
    <form method="post" action="/interaction/${uid}/abort"><button type="submit">Cancel</button></form>`;
}

function page(res, body) {
  res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  res.end(`<!doctype html><html lang="en"><title>Test provider</title><body>${body}</body></html>`);
}

function escaped(value) {
  return String(value).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

async function text(req) {
  const chunks = [];
  for await (const chunk of req) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
