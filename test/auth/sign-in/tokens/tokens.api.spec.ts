import { randomBytes } from 'node:crypto';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify, SignJWT } from 'jose';
import { startApp, type TestApp } from '../../../support/app.js';
import { client, eventually, send } from '../../../support/http.js';
import { newHouse, type House } from '../../../support/house.js';
import { waitingForLock } from '../../../support/locks.js';
import { long } from '../../../support/rounds.js';
import { fresh, madeUser, patch, user } from '../../../support/scim.js';
import { OidcWay } from '../../../support/sign-in/connections.js';
import { pkce } from '../../../support/sign-in/pkce.js';
import type { Tab } from '../../../support/sign-in/tab.js';

const APP = 'https://interviews.example.com';
/** Of the application; each sign-in here begins with its challenge. */
const { verifier: code_verifier, query: challenge } = pkce();
let service: TestApp;
let house: House;
let door: OidcWay;
beforeAll(async () => {
  service = await startApp();
  house = await newHouse(service);
  door = await OidcWay.open(service, house, { directory_id: house.directoryId, return_origins: [APP] });
});
afterAll(async () => {
  await door.op.stop();
  await service.close();
});

const ask = (body: object) =>
  send('POST', `${service.url}/api/auth/token`, null, 'code' in body ? { code_verifier, ...body } : body);
const look = async (token: string) => (await send('POST', `${service.url}/api/auth/introspect`, null, { token })).body;

async function withCode(
  more: Record<string, string> = {},
): Promise<{ code: string; id: string; tab: Tab; location: URL }> {
  const sub = fresh('sub');
  const id = await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub, name: { givenName: 'Ada' } }));
  const tab = door.tab();
  const seen = await door.signIn(tab, { sub }, { return_to: `${APP}/after?x=1`, ...challenge, ...more });
  const location = new URL(seen.location!);
  return { code: location.searchParams.get('code')!, id, tab, location };
}

long('sends the browser back to the application with a one-time code, which becomes a token', async () => {
  const { code, id, location } = await withCode();
  expect(location.href).toMatch(new RegExp(`^${APP}/after\\?x=1&code=tbc_`));
  const { status, body } = await ask({ code });
  expect([status, body.token_type, body.expires_in]).toEqual([200, 'Bearer', 300]);
  const keys = createRemoteJWKSet(new URL(`${service.url}/.well-known/jwks.json`));
  const { payload, protectedHeader } = await jwtVerify(body.access_token, keys, {
    issuer: new URL(service.app.config.appUrl).origin,
    audience: APP,
  });
  expect(protectedHeader.alg).toBe('RS256');
  expect(payload).toMatchObject({
    sub: id,
    sid: body.session_id,
    tenant: house.tenantId,
    given_name: 'Ada',
    role: 'User',
  });
  expect(payload.exp! - payload.iat!).toBe(300);
});

long('a code works once, for a minute, with its verifier alone', async () => {
  const once = await withCode();
  const both = await Promise.all([ask({ code: once.code }), ask({ code: once.code })]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
  const late = await withCode();
  await service.db.execute(`update session_tokens set expires_at = now() where used_at is null`);
  expect((await ask({ code: late.code })).body.code).toBe('invalid_grant');
  const { verifier, query } = pkce();
  expect((await ask({ code: (await withCode(query)).code, code_verifier: undefined })).status).toBe(400);
  expect((await ask({ code: (await withCode(query)).code, code_verifier: 'x'.repeat(43) })).status).toBe(400);
  expect((await ask({ code: (await withCode(query)).code, code_verifier: verifier })).status).toBe(200);
});

it('a token is renewed only while the session is live; a refresh token works once', async () => {
  const { code, id } = await withCode();
  const one = (await ask({ code })).body;
  const two = (await ask({ refresh_token: one.refresh_token })).body;
  expect(two.session_id).toBe(one.session_id);
  expect((await ask({ refresh_token: one.refresh_token })).status).toBe(400);
  await house.scim.patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }));
  expect((await ask({ refresh_token: two.refresh_token })).body.code).toBe('invalid_grant');
});

long('a second use of a code or refresh token ends its tokens', async () => {
  const one = (await ask({ code: (await withCode()).code })).body;
  const two = (await ask({ refresh_token: one.refresh_token })).body;
  expect((await ask({ refresh_token: one.refresh_token })).status).toBe(400);
  expect((await ask({ refresh_token: two.refresh_token })).status).toBe(400);
  const { code } = await withCode();
  const first = (await ask({ code })).body;
  expect((await ask({ code })).body).toMatchObject({ code: 'invalid_grant', error: 'invalid_grant' });
  expect((await ask({ refresh_token: first.refresh_token })).status).toBe(400);
});

long('two uses of one code or refresh token at once leave no valid token, the signed one included', async () => {
  const beside = await startApp({}, service);
  try {
    const { code } = await withCode();
    const first = (await ask({ code })).body;
    const second = (await ask({ refresh_token: first.refresh_token })).body;
    expect(await look(second.access_token)).toMatchObject({ active: true });
    // The thief renews while the owner, elsewhere, shows what was used up already.
    const both = await service.db.transaction(null, async (tx) => {
      await tx.query(`select 1 from sessions where id = $1 for update`, [first.session_id]);
      const thief = ask({ refresh_token: second.refresh_token });
      await waitingForLock(service.db);
      const owner = send('POST', `${beside.url}/api/auth/token`, null, { refresh_token: first.refresh_token });
      await waitingForLock(service.db, 2);
      return { thief, owner };
    });
    const [thief, owner] = [await both.thief, await both.owner];
    expect([thief.status, owner.status, owner.body.error]).toEqual([200, 400, 'invalid_grant']);
    expect((await ask({ refresh_token: thief.body.refresh_token })).status).toBe(400);
    for (const { access_token: token } of [first, second, thief.body])
      expect(await look(token)).toEqual({ active: false });
  } finally {
    await beside.close();
  }
});

it('a second use of a code ends its tokens, and those of another session stay valid', async () => {
  const [stolen, other] = [await withCode(), await withCode()];
  const { access_token: token } = (await ask({ code: stolen.code })).body;
  const { access_token: others } = (await ask({ code: other.code })).body;
  expect((await ask({ code: stolen.code })).status).toBe(400);
  expect(await look(token)).toEqual({ active: false });
  expect((await look(others)).active).toBe(true);
  expect(await stolen.tab.who()).not.toBeNull(); // the session itself is in the hands of its browser alone
});

long('made-up codes are limited for their address, and valid codes of others are not', async () => {
  const busy = await startApp({ RATE_LIMIT: '100', TRUST_PROXY: '127.0.0.1' }, service);
  try {
    const from = (address: string, body: object) =>
      send('POST', `${busy.url}/api/auth/token`, null, body, { 'x-forwarded-for': address });
    const { code } = await withCode();
    const madeUp = { code: `tbc_${house.tenantId.replace('_', '')}` };
    // At once: the allowance grows again with time, and a busy machine sends one after the other too slowly to use it up.
    const burst = () => Promise.all(Array.from({ length: 100 }, () => from('192.0.2.9', madeUp)));
    let seen: Awaited<ReturnType<typeof from>> | undefined;
    for (let i = 0; i < 20 && seen === undefined; i++) seen = (await burst()).find(({ status }) => status !== 400);
    expect([seen?.status, seen?.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await from('192.0.2.10', { code, code_verifier })).status).toBe(200);
  } finally {
    await busy.close();
  }
});

it('a sign-in for another origin without a challenge is refused before the IdP is asked', async () => {
  const begin = (query: Record<string, string>) =>
    door.tab().get(`/api/auth/login?${new URLSearchParams({ connection: door.slug, ...query }).toString()}`, {
      accept: 'application/json',
    });
  const ways: Record<string, string>[] = [
    { return_to: `${APP}/x` },
    { iss: door.op.issuer, target_link_uri: `${APP}/x` },
  ];
  for (const query of ways) {
    const seen = await begin(query);
    const { code, errors } = JSON.parse(seen.text) as { code: string; errors: { field: string; message: string }[] };
    expect([seen.status, code, errors[0]!.field]).toEqual([422, 'invalid_fields', 'code_challenge']);
    expect(errors[0]!.message).toContain('S256');
  }
  expect((await begin({ return_to: '/x' })).status).toBe(302);
});

it('a code without a challenge, of an older version, is refused', async () => {
  const { code } = await withCode();
  await service.db.execute(`update session_tokens set code_challenge = null where used_at is null and kind = 'code'`);
  expect((await ask({ code, code_verifier: undefined })).body.code).toBe('invalid_grant');
  const tab = door.tab();
  await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'older' }));
  const asked = await door.begin(tab, { return_to: `${APP}/x`, ...challenge });
  await service.db.execute(`update sign_in_requests set code_challenge = null where used_at is null`);
  expect((await door.answer(tab, asked, { sub: 'older' })).location).toBe(`${APP}/x`);
});

it('the tokens of an application that was removed are not renewed', async () => {
  const other = await OidcWay.open(service, house, { directory_id: house.directoryId, return_origins: [APP] }, door.op);
  await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'taken' }));
  const seen = await other.signIn(other.tab(), { sub: 'taken' }, { return_to: APP, ...challenge });
  const code = new URL(seen.location!).searchParams.get('code');
  const { body } = await ask({ code });
  await house.api.patch(`/connections/${other.id}`, { return_origins: [] });
  expect((await ask({ refresh_token: body.refresh_token })).status).toBe(400);
});

it('the token endpoint reads forms, as OAuth clients send them', async () => {
  const post = (path: string, fields: Record<string, string>) =>
    fetch(`${service.url}/api/auth/${path}`, { method: 'POST', body: new URLSearchParams(fields) });
  const { code } = await withCode();
  const issued = await post('token', {
    grant_type: 'authorization_code',
    code,
    code_verifier,
    redirect_uri: APP,
    client_id: 'x',
  });
  const { access_token: token } = (await issued.json()) as { access_token: string };
  expect([issued.status, issued.headers.get('cache-control')]).toEqual([200, 'no-store']);
  const looked = await post('introspect', { token, token_type_hint: 'access_token' });
  expect(await looked.json()).toMatchObject({ active: true, client_id: APP });
  const refused = async (path: string, fields: Record<string, string>): Promise<unknown[]> => {
    const seen = await post(path, fields);
    const body = (await seen.json()) as { error: string; error_description: string };
    return [seen.status, body.error, body.error_description];
  };
  // What OAuth does not know is passed over, and what is wrong is said in its words (RFC 6749 §3.2, §5.2).
  const second = (await withCode()).code;
  expect(
    (await post('token', { code: second, code_verifier, refresh_token: '', client_assertion: 'x', unknown: 'y' }))
      .status,
  ).toBe(200);
  const resources = { method: 'POST', body: `token=${token}&token_type_hint=&resource=a&resource=b` };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const introspected = await fetch(`${service.url}/api/auth/introspect`, { ...resources, headers });
  expect(await introspected.json()).toMatchObject({ active: true });
  expect(await refused('token', { grant_type: 'authorization_code' })).toEqual([
    400, 'invalid_request', 'The field code is needed with grant_type authorization_code.',
  ]); // prettier-ignore
  const wrong: [string, Record<string, string>, string][] = [
    ['token', { grant_type: 'refresh_token', code: 'x' }, 'invalid_request'],
    ['token', { code: 'x'.repeat(201) }, 'invalid_request'],
    ['token', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['introspect', { token_type_hint: 'access_token' }, 'invalid_request'],
  ];
  for (const [path, fields, error] of wrong) {
    expect([fields, (await refused(path, fields)).slice(0, 2)]).toEqual([fields, [400, error]]);
  }
});

long('a removed signing key is refused within a second, on every process', async () => {
  const beside = await startApp({}, service);
  try {
    const operator = client(`${service.url}/api/v1`, service.operatorToken);
    const stolen = (await ask({ code: (await withCode()).code })).body.access_token as string;
    await send('POST', `${beside.url}/api/auth/introspect`, null, { token: stolen });
    await operator.post('/tenants/keys/signing/rotate', { purpose: 'jwt', retire_old: true });
    expect(await look(stolen)).toEqual({ active: false });
    await eventually(
      () => send('POST', `${beside.url}/api/auth/introspect`, null, { token: stolen }),
      ({ body }) => body.active === false,
      2_000,
    );
    const fresh = (await ask({ code: (await withCode()).code })).body.access_token as string;
    const there = await send('POST', `${beside.url}/api/auth/introspect`, null, { token: fresh });
    expect(there.body.active).toBe(true);
  } finally {
    await beside.close();
  }
});

it('a code of a session that has ended meanwhile is refused', async () => {
  const { code, tab } = await withCode();
  await tab.post('/api/auth/logout');
  expect((await ask({ code })).status).toBe(400);
});

it('introspection shows the end of a session at once, though the token is not expired', async () => {
  const { code, id } = await withCode();
  const { access_token: token } = (await ask({ code })).body;
  expect(await look(token)).toMatchObject({ active: true, sub: id, aud: APP });
  await house.scim.delete(`/Users/${id}`);
  expect(await look(token)).toEqual({ active: false });
});

it('introspection takes no token that we have not signed', async () => {
  const { code } = await withCode();
  const { access_token: token } = (await ask({ code })).body;
  expect((await look(token)).active).toBe(true);
  const { kid } = decodeProtectedHeader(token);
  const claims = decodeJwt(token);
  const forged = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid: kid!, typ: 'at+jwt' })
    .sign(randomBytes(32));
  const none = `${Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')}.${token.split('.')[1]}.`;
  for (const bad of [forged, none, 'x', `${token}x`, token.slice(0, -4)])
    expect(await look(bad)).toEqual({ active: false });
  expect((await look(token)).active).toBe(true);
});

it('our own origin uses the cookie, and another site cannot', async () => {
  const { tab } = await withCode();
  const own = await tab.send('POST', '/api/auth/token', '{}', {
    'content-type': 'application/json',
    accept: 'application/json',
  });
  expect([own.status, JSON.parse(own.text).refresh_token]).toEqual([200, undefined]);
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' };
  expect((await tab.send('POST', '/api/auth/token', '{}', headers)).status).toBe(403);
  expect((await ask({})).status).toBe(401);
  const mixed = await ask({ code: 'x', refresh_token: 'y' });
  expect([mixed.status, mixed.body.error]).toEqual([400, 'invalid_request']);
  const other = await ask({ grant_type: 'password', code: 'x' });
  expect([other.status, other.body.error]).toEqual([400, 'unsupported_grant_type']);
});

long('a rotation shows the next key before it signs, and older tokens stay valid', async () => {
  const operator = client(`${service.url}/api/v1`, service.operatorToken);
  const old = (await ask({ code: (await withCode()).code })).body.access_token as string;
  const before = (await send('GET', `${service.url}/.well-known/jwks.json`, null)).body.keys;
  expect((await operator.post('/tenants/keys/signing/rotate', { purpose: 'jwt' })).status).toBe(200);
  const shown = (await send('GET', `${service.url}/.well-known/jwks.json`, null)).body.keys;
  expect(shown).toHaveLength(before.length + 1);
  expect(shown.every((key: object) => !('d' in key))).toBe(true);
  const during = (await ask({ code: (await withCode()).code })).body.access_token as string;
  expect(decodeProtectedHeader(during).kid).toBe(decodeProtectedHeader(old).kid);
  const made = await operator.post('/tenants/keys/signing/rotate', { purpose: 'jwt', active_in_seconds: 0 });
  // The one that was to take over later does not any more: a rotation means the new one.
  expect(new Date(made.body.keys[1].active_from).getTime()).toBeGreaterThan(Date.now());
  const after = (await ask({ code: (await withCode()).code })).body.access_token as string;
  expect(decodeProtectedHeader(after).kid).toBe(made.body.keys[0].id);
  await service.db.execute(`update service_keys set active_from = now() where active_from > now()`);
  const beside = await startApp({}, service);
  try {
    const { code } = await withCode();
    const { body } = await send('POST', `${beside.url}/api/auth/token`, null, { code, code_verifier });
    expect(decodeProtectedHeader(body.access_token).kid).toBe(made.body.keys[0].id);
  } finally {
    await beside.close();
  }
  expect([(await look(old)).active, (await look(after)).active]).toEqual([true, true]);
  expect(
    (await send('POST', `${service.url}/api/v1/tenants/keys/signing/rotate`, house.apiKey, { purpose: 'jwt' })).status,
  ).toBe(403);
});

it.each(['token', 'introspect'])('%s: a body that is made to break its reader is refused', async (path) => {
  for (const body of [
    '{"code":{"constructor":"x"}}',
    '{"token":{"constructor":1}}',
    '{"constructor":"x"}',
    '[]',
    '1',
  ]) {
    const headers = { 'content-type': 'application/json' };
    const seen = await fetch(`${service.url}/api/auth/${path}`, { method: 'POST', headers, body });
    expect([body, seen.status]).toEqual([body, 400]);
  }
});
