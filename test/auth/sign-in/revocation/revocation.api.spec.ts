import { createPrivateKey } from 'node:crypto';
import { CompactSign } from 'jose';
import { startApp, type TestApp } from '../../../support/app.js';
import { newHouse, type House } from '../../../support/house.js';
import { fresh, madeUser, user } from '../../../support/scim.js';
import { hostileOp, newOpKey, type HostileOp } from '../../../protocols/oidc/support/op.js';
import { newKey } from '../../../protocols/saml/support/keys.js';
import { long } from '../../../support/rounds.js';
import { OidcWay, SamlWay, trustDomain } from '../../../support/sign-in/connections.js';
import { pkce } from '../../../support/sign-in/pkce.js';
import type { Tab } from '../../../support/sign-in/tab.js';

const APP = 'https://interviews.example.com';
const TYP = 'global-token-revocation+jwt';

let service: TestApp;
let twin: TestApp;
let house: House;
let op: HostileOp;
let door: OidcWay;
let saml: SamlWay;
beforeAll(async () => {
  service = await startApp();
  twin = await startApp({}, service);
  house = await newHouse(service);
  op = await hostileOp(() => new Date());
  door = await OidcWay.open(service, house, { directory_id: house.directoryId, return_origins: [APP] }, op);
  saml = await SamlWay.open(service, house, { directory_id: house.directoryId });
});
afterAll(async () => {
  await op.stop();
  await twin.close();
  await service.close();
});

interface Person {
  tab: Tab;
  sub: string;
  email: string;
  id: string;
}

async function signedIn(at: OidcWay | SamlWay = door): Promise<Person> {
  const [sub, email] = [fresh('sub'), `${fresh()}@e.com`];
  const id = await madeUser(house.scim, user(email, { externalId: sub }));
  const tab = at.tab();
  const seen = at instanceof OidcWay ? await at.signIn(tab, { sub }) : await at.signIn(tab, { nameId: sub });
  expect(seen.status).toBe(303);
  return { tab, sub, email, id };
}

const addressOf = (slug: string): string => `${service.app.config.appUrl}/api/auth/global-token-revocation/${slug}`;
const seconds = (): number => Math.floor(Date.now() / 1000);
const claimsFor = (slug: string, iss: string, claims: object): Record<string, unknown> => {
  const all = { iss, aud: addressOf(slug), iat: seconds(), exp: seconds() + 300, jti: fresh('j'), ...claims };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
};
const token = (claims: object = {}, header: object = { typ: TYP }, key = op.signing): Promise<string> =>
  op.sign(claimsFor(door.slug, op.issuer, claims), { ...header }, key);
const post = async (
  body: unknown,
  bearer: string | null,
  slug = door.slug,
): Promise<{ status: number; code: string | null; challenge: string | null; field: string | null }> => {
  const answer = await fetch(`${service.url}/api/auth/global-token-revocation/${slug}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  const problem = (text === '' ? {} : JSON.parse(text)) as { code?: string; errors?: { field: string }[] };
  const challenge = answer.headers.get('www-authenticate');
  return { status: answer.status, code: problem.code ?? null, challenge, field: problem.errors?.[0]?.field ?? null };
};
const byEmail = (email: string) => ({ sub_id: { format: 'email', email } });
const bySub = (sub: string, iss = op.issuer) => ({ sub_id: { format: 'iss_sub', iss, sub } });
const opaque = (id: string) => ({ sub_id: { format: 'opaque', id } });

describe('universal logout', () => {
  it.each<[string, (person: Person) => object]>([
    ['email', ({ email }) => byEmail(email.toUpperCase())],
    ['iss_sub', ({ sub }) => bySub(sub)],
    ['opaque, the IdP’s id', ({ sub }) => opaque(sub)],
    ['opaque, our id', ({ id }) => opaque(id)],
  ])('ends the sessions of the user, and no others: %s', async (_, subject) => {
    const [one, other] = [await signedIn(), await signedIn()];
    expect(await post(subject(one), await token())).toMatchObject({ status: 204 });
    expect([await one.tab.who(), await one.tab.who(twin)]).toEqual([null, null]);
    expect(await other.tab.who(twin)).not.toBeNull();
    const { body } = await house.api.get(`/sign-ins?user_id=${one.id}&kind=logout`);
    expect(body.data).toMatchObject([{ outcome: 'success', detail: 'by the IdP (universal logout): 1' }]);
    // The user can sign in again.
    expect((await door.signIn(door.tab(), { sub: one.sub })).status).toBe(303);
  });

  long('ends sessions of other connections too, with their codes, refresh tokens and JWTs', async () => {
    const one = await signedIn();
    const elsewhere = saml.tab();
    await saml.signIn(elsewhere, { nameId: one.sub });
    const ask = async (body: object, path = 'token') => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${service.url}/api/auth/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      });
      return (await answer.json()) as { refresh_token: string; access_token: string; code: string; active: boolean };
    };
    const { verifier, query } = pkce();
    const codeOf = async () => {
      const seen = await door.signIn(door.tab(), { sub: one.sub }, { return_to: `${APP}/`, ...query });
      return new URL(seen.location!).searchParams.get('code')!;
    };
    const issued = await ask({ code: await codeOf(), code_verifier: verifier });
    const unused = await codeOf();
    expect((await ask({ token: issued.access_token }, 'introspect')).active).toBe(true);
    expect((await post(byEmail(one.email), await token())).status).toBe(204);
    expect(await elsewhere.who()).toBeNull();
    expect((await ask({ refresh_token: issued.refresh_token })).code).toBe('invalid_grant');
    expect((await ask({ code: unused, code_verifier: verifier })).code).toBe('invalid_grant');
    expect((await ask({ token: issued.access_token }, 'introspect')).active).toBe(false);
  });

  it('refuses a sign-in that the IdP asserted before it and that arrives after it', async () => {
    const one = await signedIn();
    const tab = door.tab();
    const asked = await door.begin(tab);
    expect((await post(bySub(one.sub), await token())).status).toBe(204);
    expect((await door.answer(tab, asked, { sub: one.sub, iat: seconds() - 60 })).status).toBe(403);
    expect(await tab.who()).toBeNull();
  });

  long('of a SAML connection, by a token that one of its certificates has signed', async () => {
    const one = await signedIn(saml);
    const sign = async (key: { privateKey: string }, claims: object = {}) =>
      new CompactSign(Buffer.from(JSON.stringify(claimsFor(saml.slug, saml.idp.entityId, claims))))
        .setProtectedHeader({ alg: 'RS256', typ: TYP })
        .sign(createPrivateKey(key.privateKey));
    const subject = bySub(one.sub, saml.idp.entityId);
    const refused: [string, number][] = [
      [await sign(await newKey('stranger')), 401],
      [await sign(saml.idp.key, { iss: op.issuer }), 401],
      [await sign(saml.idp.key, { aud: addressOf(door.slug) }), 401],
    ];
    for (const [bearer, status] of refused) expect((await post(subject, bearer, saml.slug)).status).toBe(status);
    expect(await one.tab.who()).not.toBeNull();
    expect((await post(subject, await sign(saml.idp.key), saml.slug)).status).toBe(204);
    expect(await one.tab.who()).toBeNull();
  });

  long('refuses every token that is not a new one of this IdP for this address: 401', async () => {
    const one = await signedIn();
    const good = await token();
    const [head, claims, signature] = good.split('.');
    const stranger = await newOpKey('RS256', 'key-1');
    const wrong: [string, string | null][] = [
      ['none', null],
      ['no JWT', 'x'],
      ['unsigned', `${head}.${claims}.`],
      ['changed', `${head}.${Buffer.from('{}').toString('base64url')}.${signature}`],
      ['alg none', await token({}, { typ: TYP, alg: 'none' }).catch(() => 'eyJhbGciOiJub25lIn0.e30.')],
      ['another key', await token({}, { typ: TYP }, stranger)],
      ['a key in the header', await token({}, { typ: TYP, jwk: stranger.jwk }, stranger)],
      ['without a type', await token({}, { typ: undefined })],
      ['a logout token', await token({}, { typ: 'logout+jwt' })],
      ['an ID token', await token({}, { typ: 'JWT' })],
      ['another issuer', await token({ iss: 'https://other.example.com' })],
      ['for the client', await token({ aud: 'client-1' })],
      ['for another connection', await token({ aud: addressOf(saml.slug) })],
      ['for two', await token({ aud: [addressOf(door.slug), addressOf(saml.slug)] })],
      ['without an audience', await token({ aud: undefined })],
      ['expired', await token({ iat: seconds() - 400, exp: seconds() - 100 })],
      ['without an end', await token({ exp: undefined })],
      ['kept for later', await token({ iat: seconds() - 1_000, exp: seconds() + 1_000 })],
      ['from the future', await token({ iat: seconds() + 1_000, exp: seconds() + 2_000 })],
      ['without an id', await token({ jti: undefined })],
      ['an API key', house.apiKey],
    ];
    for (const [name, bearer] of wrong) {
      const { status, code, challenge } = await post(byEmail(one.email), bearer);
      const expected = bearer === null ? 'credential_missing' : 'credential_invalid';
      expect([name, status, code, challenge?.startsWith('Bearer ')]).toEqual([name, 401, expected, true]);
    }
    expect(await one.tab.who()).not.toBeNull();
    const reasons = (await house.api.get('/sign-ins?kind=logout&outcome=refused&limit=1')).body.data;
    expect(reasons).toMatchObject([{ reason: 'token_refused' }]);
    expect((await post(byEmail(one.email), good)).status).toBe(204);
  });

  it('takes each token once, also when the second body names another user', async () => {
    const [one, other] = [await signedIn(), await signedIn()];
    const bearer = await token();
    const statuses = await Promise.all([one, one, one].map(({ email }) => post(byEmail(email), bearer)));
    expect(statuses.map(({ status }) => status).sort()).toEqual([204, 401, 401]);
    expect((await post(byEmail(other.email), bearer)).status).toBe(401);
    expect(await other.tab.who()).not.toBeNull();
  });

  long('answers 404 for an unknown user, and 422 for a body without a user', async () => {
    const other = await newHouse(service);
    const email = `${fresh()}@e.com`;
    await madeUser(other.scim, user(email, { externalId: 'theirs' }));
    const one = await signedIn();
    for (const body of [
      byEmail(email),
      byEmail('unknown@e.com'),
      bySub('unknown'),
      bySub(one.sub, 'https://other.example.com'),
      opaque('usr_unknown'),
    ])
      expect(await post(body, await token())).toMatchObject({ status: 404, code: 'not_found' });
    // A body that cannot be read leaves the token good for another try.
    const bearer = await token();
    expect(await post({}, bearer)).toMatchObject({ status: 422, code: 'invalid_fields', field: 'sub_id' });
    expect(await post({ sub_id: { format: 'email' } }, bearer)).toMatchObject({ status: 422, field: 'sub_id.email' });
    expect(await post('{', bearer)).toMatchObject({ status: 400, code: 'malformed_json' });
    expect(await post('{', null)).toMatchObject({ status: 400 });
    expect(await one.tab.who()).not.toBeNull();
    expect((await post(byEmail(one.email), bearer)).status).toBe(204);
    expect((await post(byEmail(one.email), await token(), 'unknown')).status).toBe(404);
  });

  long(
    'matches no user by an e-mail of another connection’s domain, unless the user is bound to this one',
    async () => {
      const domain = `${fresh('d')}.example.com`;
      const [stranger, known] = [`a@${domain}`, `b@${domain}`];
      await madeUser(house.scim, user(stranger, { externalId: fresh() }));
      const sub = fresh('sub');
      await madeUser(house.scim, user(known, { externalId: sub }));
      await door.signIn(door.tab(), { sub });
      await saml.signIn(saml.tab(), { nameId: sub });
      await trustDomain(service, house.tenantId, domain, { connection_id: saml.id });
      expect((await post(byEmail(stranger), await token())).status).toBe(404);
      expect((await post(byEmail(known), await token())).status).toBe(204);
    },
  );

  long('answers 503 while the IdP’s keys cannot be read, and the token stays valid', async () => {
    const away = await OidcWay.open(service, house, { directory_id: house.directoryId });
    const sub = fresh('sub');
    await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
    const tab = away.tab();
    await away.signIn(tab, { sub });
    const bearer = await away.op.sign(claimsFor(away.slug, away.op.issuer, {}), { typ: TYP });
    away.op.tamper.canned = { '/.well-known/openid-configuration': { status: 500 } };
    await house.api.patch(`/connections/${away.id}`, { name: 'fresh cache' });
    expect(await post(bySub(sub, away.op.issuer), bearer, away.slug)).toMatchObject({
      status: 503,
      code: 'unavailable',
    });
    away.op.tamper.canned = {};
    await house.api.patch(`/connections/${away.id}`, { name: 'fresh cache again' });
    expect((await post(bySub(sub, away.op.issuer), bearer, away.slug)).status).toBe(204);
    expect(await tab.who()).toBeNull();
    await away.op.stop();
  });
});

long('limits wrong tokens of an address, and accepts a right one all the same', async () => {
  const limited = await startApp({ RATE_LIMIT: '100' }, service);
  try {
    const one = await signedIn();
    const send = async (bearer: string) =>
      (
        await fetch(`${limited.url}/api/auth/global-token-revocation/${door.slug}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${bearer}` },
          body: JSON.stringify(byEmail(one.email)),
        })
      ).status;
    const found = new Set<number>();
    for (let i = 0; i < 400 && !found.has(429); i++) found.add(await send('x.y.z'));
    expect([...found].sort()).toEqual([401, 429]);
    expect(await send(await token())).toBe(204);
  } finally {
    await limited.close();
  }
});
