import { inflateRawSync } from 'node:zlib';
import { SessionsRepository } from '../../../../src/tenancy/sessions/sessions.repository.js';
import { LiveSessions } from '../../../../src/auth/sign-in/browser-sessions/live-sessions.js';
import { SessionsService } from '../../../../src/tenancy/sessions/sessions.service.js';
import type { TestApp } from '../../../support/app.js';
import { waitingForLock } from '../../../support/locks.js';
import type { House } from '../../../support/house.js';
import { fresh, madeUser, user } from '../../../support/scim.js';
import { newOpKey, type HostileOp } from '../../../protocols/oidc/support/op.js';
import { long } from '../../../support/rounds.js';
import { pairedHouse } from '../../../support/sign-in/paired-house.js';
import { OidcWay, reasonOf, SamlWay } from '../../../support/sign-in/connections.js';
import type { Tab } from '../../../support/sign-in/tab.js';

let service: TestApp;
let house: House;
let op: HostileOp;
let oidc: OidcWay;
let saml: SamlWay;
let close: () => Promise<void>;
beforeAll(async () => ({ service, house, op, oidc, saml, close } = await pairedHouse()));
afterAll(() => close());

async function byOidc(claims: Record<string, unknown> = {}): Promise<{ tab: Tab; sub: string }> {
  const sub = (claims['sub'] as string | undefined) ?? fresh('sub');
  await house.scim.post('/Users', user(`${fresh()}@e.com`, { externalId: sub }));
  const tab = oidc.tab();
  const seen = await oidc.signIn(tab, { sub, sid: `sid-${sub}`, ...claims });
  expect(seen.status).toBe(303);
  return { tab, sub };
}

describe('a logout here', () => {
  it('leads to the IdP with the ID token as the hint, and comes back to a page', async () => {
    const { tab } = await byOidc();
    const seen = await tab.post('/api/auth/logout');
    expect(seen.status).toBe(303);
    const url = new URL(seen.location!);
    expect(`${url.origin}${url.pathname}`).toBe(`${op.issuer}/logout`);
    expect(url.searchParams.get('id_token_hint')).toMatch(/^ey/);
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${service.app.config.appUrl}/api/auth/signed-out`);
    expect(await tab.who()).toBeNull();
    expect((await tab.get('/api/auth/signed-out')).text).toContain('You are signed out');
  });

  it('ends the session here also when the IdP is not available, and succeeds without a session', async () => {
    const own = await OidcWay.open(service, house, { directory_id: house.directoryId });
    await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'away' }));
    const tab = own.tab();
    await own.signIn(tab, { sub: 'away' });
    await own.op.stop();
    await house.api.patch(`/connections/${own.id}`, { name: 'fresh cache' });
    const seen = await tab.post('/api/auth/logout');
    expect([seen.status, seen.location]).toEqual([303, `${service.app.config.appUrl}/api/auth/signed-out`]);
    expect(await tab.who()).toBeNull();
    expect((await oidc.tab().post('/api/auth/logout')).status).toBe(303);
  });

  it('answers a script with the next address', async () => {
    const { tab } = await byOidc();
    const seen = await tab.send('POST', '/api/auth/logout', undefined, { accept: 'application/json' });
    expect(JSON.parse(seen.text).redirect_to).toContain(`${op.issuer}/logout`);
  });

  it('is refused from another site, and by a link', async () => {
    const { tab } = await byOidc();
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ];
    for (const headers of foreign) expect((await tab.post('/api/auth/logout', [], headers)).status).toBe(403);
    expect((await tab.get('/api/auth/logout')).status).toBe(405);
    expect(await tab.who()).not.toBeNull();
  });

  long('sends a SAML IdP a signed request with the NameID of the sign-in', async () => {
    await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'saml-out' }));
    const tab = saml.tab();
    await saml.signIn(tab, { nameId: 'saml-out' });
    const seen = await tab.post('/api/auth/logout');
    const asked = new URL(seen.location!).searchParams;
    const xml = inflateRawSync(Buffer.from(asked.get('SAMLRequest')!, 'base64')).toString('utf8');
    expect(xml).toContain('saml-out</');
    expect(xml).toMatch(/SessionIndex[^>]*>session-1</);
    expect(asked.get('SigAlg')).toContain('rsa-sha256');
    expect(asked.get('Signature')).toBeTruthy();
  });
});

describe('back-channel logout', () => {
  const EVENT = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const token = (
    claims: Record<string, unknown>,
    header: Record<string, unknown> = { typ: 'logout+jwt' },
    key = op.signing,
  ) => {
    const now = Math.floor(Date.now() / 1000);
    const all = {
      iss: op.issuer,
      aud: 'client-1',
      iat: now,
      exp: now + 120,
      jti: fresh('j'),
      events: EVENT,
      ...claims,
    };
    return op.sign(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)), header, key);
  };
  const post = async (logoutToken: string | null, slug = oidc.slug) =>
    (
      await fetch(`${service.url}/api/auth/backchannel-logout/${slug}`, {
        method: 'POST',
        body: new URLSearchParams(logoutToken === null ? [] : [['logout_token', logoutToken]]),
      })
    ).status;

  it('ends the sessions of a subject, or one session, and no others', async () => {
    const one = await byOidc();
    const other = await byOidc();
    expect(await post(await token({ sub: one.sub }))).toBe(200);
    expect(await one.tab.who()).toBeNull();
    expect(await other.tab.who()).not.toBeNull();
    const again = await byOidc({ sub: one.sub, sid: 'first' });
    const twin = await byOidc({ sub: one.sub, sid: 'second' });
    expect(await post(await token({ sid: 'second' }))).toBe(200);
    expect([await again.tab.who() !== null, await twin.tab.who() !== null]).toEqual([true, false]); // prettier-ignore
    expect(await post(await token({ sub: other.sub, sid: 'first' }))).toBe(200); // no session is both
    expect(await again.tab.who()).not.toBeNull();
  });

  long('ends a sign-in that was asserted before it and arrives after it, and no later one', async () => {
    const old = Math.floor(Date.now() / 1000) - 60;
    const ways = [
      { out: (sub: string) => ({ sub }), over: ['s1', 's2', undefined] },
      { out: (sub: string) => ({ sid: `s1-${sub}` }), over: ['s1'] as (string | undefined)[] },
      { out: (sub: string) => ({ sub, sid: `s1-${sub}` }), over: ['s1', undefined] },
    ];
    for (const { out, over } of ways) {
      const sub = fresh('sub');
      await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
      const sid = (name: string | undefined) => (name === undefined ? undefined : `${name}-${sub}`);
      expect(await post(await token(out(sub)))).toBe(200);
      for (const one of ['s1', 's2', undefined]) {
        const tab = oidc.tab();
        const seen = await oidc.signIn(tab, { sub, sid: sid(one), iat: old });
        expect([one, seen.status]).toEqual([one, over.includes(one) ? 403 : 303]);
        if (seen.status === 403) expect(await reasonOf(house, seen)).toBe('idp_session_ended');
        const anew = one === undefined ? undefined : sid(`${one}-anew`);
        expect((await oidc.signIn(tab, { sub, sid: anew })).status).toBe(303);
      }
    }
  });

  it('waits for a sign-in that is being written, and ends it', async () => {
    const { sub } = await byOidc();
    const verified = {
      subject: sub, claims: {}, issuedAt: new Date(Date.now() - 5_000), authenticatedAt: null, sessionEnds: null, idpSession: `late-${sub}`,
      authContext: null, idToken: null, nameId: null, once: null,
    }; // prettier-ignore
    const { nest, db } = { nest: service.app.nest, db: service.db };
    const { rows } = await db.execute<{ id: string; session_epoch: number }>(
      `select id, session_epoch from users where external_id = '${sub}'`,
    );
    const who = { userId: rows[0]!.id, userEpoch: rows[0]!.session_epoch, connectionId: oidc.id, verified };
    const out = await token({ sid: `late-${sub}` });
    let answered!: Promise<number>;
    const session = await db.transaction(null, async (tx) => {
      expect(await nest.get(SessionsRepository).hasIdpEnded(tx, house.tenantId, oidc.id, verified)).toBe(false);
      const origin = { ip: null, userAgent: null, requestId: 'req_x' };
      const begun = await nest.get(SessionsService).begin(tx, house.tenantId, who, origin);
      answered = post(out);
      await waitingForLock(db);
      return begun;
    });
    expect(await answered).toBe(200);
    expect(await nest.get(LiveSessions).check(session.token)).toBeNull();
  });

  long('refuses tokens that are forged, repeated, old, of another kind or of another IdP', async () => {
    const { tab, sub } = await byOidc();
    const stranger = await newOpKey('RS256', op.signing.jwk.kid);
    const now = Math.floor(Date.now() / 1000);
    const bad: [string, Promise<string> | string][] = [
      ['another key', token({ sub }, undefined, stranger)],
      ['none', `${Buffer.from('{"alg":"none"}').toString('base64url')}.${Buffer.from(JSON.stringify({ sub })).toString('base64url')}.`],
      ['audience', token({ sub, aud: 'other' })],
      ['issuer', token({ sub, iss: 'https://other.example' })],
      ['no event', token({ sub, events: {} })],
      ['a nonce', token({ sub, nonce: 'n' })],
      ['no jti', token({ sub, jti: undefined })],
      ['unknown', token({})],
      ['over', token({ sub, exp: now - 300 })],
      ['old', token({ sub, iat: now - 3_600 })],
      ['an ID token', token({ sub, events: undefined }, {})],
      ['garbage', 'x.y.z'],
    ]; // prettier-ignore
    for (const [what, made] of bad) expect([what, await post(await made)]).toEqual([what, 400]);
    expect(await post(null)).toBe(400);
    expect(await post(await token({ sub }), 'no-such')).toBe(404);
    expect(await post(await token({ sub }), saml.slug)).toBe(400);
    expect(await tab.who()).not.toBeNull();
    const good = await token({ sub });
    expect(await post(good)).toBe(200);
    expect(await tab.who()).toBeNull();
    expect(await post(good)).toBe(400);
    const again = await byOidc({ sub });
    const endless = await token({ sub, exp: undefined });
    expect(await post(await token({ sub, exp: undefined, iat: now - 130 }))).toBe(400);
    expect(await again.tab.who()).not.toBeNull();
    expect([await post(endless), await again.tab.who(), await post(endless)]).toEqual([200, null, 400]);
    const { body } = await house.api.get('/sign-ins?outcome=refused&reason=replayed');
    expect(body.data[0]).toMatchObject({ kind: 'logout' });
  });
});

describe('front-channel logout', () => {
  const frame = (query: Record<string, string> | string, slug = oidc.slug, headers: Record<string, string> = {}) =>
    fetch(`${service.url}/api/auth/frontchannel-logout/${slug}?${new URLSearchParams(query).toString()}`, {
      redirect: 'manual',
      headers: { accept: 'text/html', 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'cross-site', ...headers },
    });
  const named = (sid: string, more: Record<string, string> = {}) => ({ iss: op.issuer, sid, ...more });

  it('ends the sessions of the session at the IdP, without a cookie, and no others', async () => {
    const [one, other] = [await byOidc(), await byOidc()];
    const twin = await byOidc({ sub: one.sub, sid: 'elsewhere' });
    const answer = await frame(named(`sid-${one.sub}`));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-security-policy')).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors *",
    );
    expect([answer.headers.get('x-frame-options'), answer.headers.get('cache-control')]).toEqual([null, 'no-store']);
    expect(await one.tab.who()).toBeNull();
    expect(await twin.tab.who()).not.toBeNull();
    expect(await other.tab.who()).not.toBeNull();
    const { body } = await house.api.get('/sign-ins?kind=logout&limit=1');
    expect(body.data[0]).toMatchObject({ outcome: 'success', detail: 'by the IdP (front-channel)', subject: one.sub });
  });

  it('answers the same whether there was such a session or not', async () => {
    const { sub } = await byOidc();
    const seen = [];
    for (const sid of [`sid-${sub}`, `sid-${sub}`, 'nothing', "'; --"]) {
      const answer = await frame(named(sid));
      const headers = [...answer.headers].filter(([name]) => !/^(date|x-request-id|traceparent)$/.test(name));
      seen.push(JSON.stringify([answer.status, headers, await answer.text()]));
    }
    expect(new Set(seen).size).toBe(1);
  });

  it('ends no session by another issuer, another connection, half a name or a HEAD', async () => {
    const { tab, sub } = await byOidc();
    const own = await OidcWay.open(service, house, {}, op);
    const sid = `sid-${sub}`;
    const tries: [Promise<Response>, number][] = [
      [frame({ iss: 'https://other.example', sid }), 401],
      [frame({ iss: `${op.issuer}/`, sid }), 401],
      [frame(named(sid), own.slug), 200],
      [frame(named(sid), saml.slug), 401],
      [frame(named(sid), 'no-such'), 404],
      [frame({ sid }), 422],
      [frame({ iss: op.issuer }), 422],
      [frame({ iss: op.issuer, sub }), 422],
      [frame(named('')), 422],
      [frame(named('\0')), 422],
      [frame(named('s'.repeat(1_025))), 422],
      [frame(`${new URLSearchParams(named(sid)).toString()}&sid=other`), 400],
      [fetch(`${service.url}/api/auth/frontchannel-logout/${oidc.slug}?${new URLSearchParams(named(sid)).toString()}`, { method: 'HEAD' }), 405],
    ]; // prettier-ignore
    for (const [answer, status] of tries) {
      const { url, status: seen } = await answer;
      expect([url, seen]).toEqual([url, status]);
    }
    expect(await tab.who()).not.toBeNull();
    expect((await frame(named(sid))).status).toBe(200);
    expect(await tab.who()).toBeNull();
  });

  it('ends a sign-in that was asserted before it and arrives after it', async () => {
    const sub = fresh('sub');
    await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
    expect((await frame(named(`late-${sub}`))).status).toBe(200);
    const old = Math.floor(Date.now() / 1000) - 60;
    const seen = await oidc.signIn(oidc.tab(), { sub, sid: `late-${sub}`, iat: old });
    expect([seen.status, await reasonOf(house, seen)]).toEqual([403, 'idp_session_ended']);
    expect((await oidc.signIn(oidc.tab(), { sub, sid: `new-${sub}` })).status).toBe(303);
  });

  it('is shown by the connection, and the check shows the announcement of the IdP', async () => {
    const base = service.app.config.appUrl;
    const { body } = await house.api.get(`/connections/${oidc.id}`);
    expect(body.frontchannel_logout_url).toBe(`${base}/api/auth/frontchannel-logout/${oidc.slug}`);
    const check = async () => (await house.api.post(`/connections/${oidc.id}/check`, {})).body.logout;
    const none = { rp_initiated: true, back_channel: false, front_channel: false, front_channel_session: false };
    expect(await check()).toEqual(none);
    op.tamper.discovery = {
      backchannel_logout_supported: true,
      frontchannel_logout_supported: true,
      frontchannel_logout_session_supported: true,
      end_session_endpoint: undefined,
    };
    expect(await check()).toEqual({
      rp_initiated: false,
      back_channel: true,
      front_channel: true,
      front_channel_session: true,
    });
    op.tamper.discovery = {};
  });
});
