import { mintToken } from '../../../../src/base/crypto/tokens.js';
import { sharedApp, type TestApp } from '../../../support/app.js';
import { send } from '../../../support/http.js';
import { newHouse, type House } from '../../../support/house.js';
import { fresh, madeUser, user } from '../../../support/scim.js';
import { hostileOp, type HostileOp } from '../../../protocols/oidc/support/op.js';
import { long } from '../../../support/rounds.js';
import { OidcWay, reasonOf, SamlWay, trustDomain } from '../../../support/sign-in/connections.js';
import { pkce } from '../../../support/sign-in/pkce.js';
import { Tab, type Seen } from '../../../support/sign-in/tab.js';

let service: TestApp;
let house: House;
let op: HostileOp;
let domain: string;
beforeAll(async () => {
  service = await sharedApp();
  op = await hostileOp(() => new Date());
});
beforeEach(async () => {
  op.reset();
  house = await newHouse(service);
  domain = `${fresh('d')}.example.com`;
});
afterAll(async () => {
  await op.stop();
  await service.close();
});
const tab = (): Tab => new Tab(service);
const base = () => service.app.config.appUrl;
/** Sends the form of our own page. */
const typed = (form: Record<string, string>, from = tab()) =>
  from.post('/api/auth/login', Object.entries(form), { 'sec-fetch-site': 'same-origin' });
const login = (query: Record<string, string>, from = tab()) =>
  from.get(`/api/auth/login?${new URLSearchParams(query).toString()}`);

describe('the choice of a sign-in', () => {
  it('follows from the domain of the e-mail, without regard to case; the hint goes along', async () => {
    await OidcWay.open(service, house, {}, op);
    await trustDomain(service, house.tenantId, domain);
    for (const email of [`ada@${domain}`, `ADA@${domain.toUpperCase()}`, ` ada@${domain} `]) {
      const seen = await login({ email });
      expect([seen.status, new URL(seen.location!).origin]).toEqual([302, op.issuer]);
      expect(new URL(seen.location!).searchParams.get('login_hint')).toBe(email.trim());
    }
    for (const email of [`ada@sub.${domain}`, `ada@x${domain}`, 'ada', '@', `ada@${domain}@evil.example`]) {
      const seen = await login({ email });
      expect([email, seen.status, seen.text.includes('no sign-in for this e-mail')]).toEqual([email, 404, true]);
    }
  });

  it('is typed into a form, so that no address of ours contains it', async () => {
    const door = await OidcWay.open(service, house, {}, op);
    await trustDomain(service, house.tenantId, domain);
    const page = await login({ return_to: '/deep' });
    expect(page.text).toMatch(/<form method="post" action="[^"]*\/api\/auth\/login">/);
    expect(page.text).toContain('<input type="hidden" name="return_to" value="/deep"');
    const email = `ada@${domain}`;
    const browser = tab();
    const seen = await typed({ email, return_to: '/deep' }, browser);
    expect([seen.status, new URL(seen.location!).origin]).toEqual([303, op.issuer]);
    expect(new URL(seen.location!).searchParams.get('login_hint')).toBe(email);
    expect(seen.headers.getSetCookie()).toHaveLength(1);
    // Without `Sec-Fetch-Site`, `Origin` says the same.
    const older = await tab().post('/api/auth/login', [['email', email]], { origin: new URL(base()).origin });
    expect(older.status).toBe(303);
    const wrong = await typed({ email: `ada@${fresh('d')}.example` });
    expect([wrong.status, wrong.location]).toEqual([404, null]);
    const [input, alert] = [wrong.text.indexOf('<input'), wrong.text.indexOf('role="alert" id="problem"')];
    expect(input > 0 && alert > input && wrong.text.includes('aria-describedby="problem"')).toBe(true);
    expect(door.slug).toBeTruthy();
  });

  it('begins no sign-in by a form of another site without the browser’s own request', async () => {
    await OidcWay.open(service, house, {}, op);
    await trustDomain(service, house.tenantId, domain);
    const form: [string, string][] = [['email', `ada@${domain}`]];
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      {},
    ];
    for (const headers of foreign) {
      const seen = await tab().post('/api/auth/login', form, headers);
      expect([seen.status, new URL(seen.location!).pathname]).toEqual([303, '/api/auth/login']);
      expect(seen.headers.getSetCookie()).toEqual([]);
    }
  });

  it('answers alike for every name of a domain, whether a user exists or not', async () => {
    await OidcWay.open(service, house, {}, op);
    await trustDomain(service, house.tenantId, domain);
    await madeUser(house.scim, user(`known@${domain}`));
    const shapes = await Promise.all(
      ['known', 'unknown'].map(async (name) => {
        const seen = await login({ email: `${name}@${domain}` });
        const asked = new URL(seen.location!);
        return [seen.status, asked.origin, [...asked.searchParams.keys()], seen.headers.getSetCookie().length];
      }),
    );
    expect(shapes[0]).toEqual(shapes[1]);
  });

  long('offers all connections, unless the domain is bound to one', async () => {
    const one = await OidcWay.open(service, house, { name: 'Staff' }, op);
    const two = await SamlWay.open(service, house, { name: 'Contractors' });
    await trustDomain(service, house.tenantId, domain);
    const seen = await login({ email: `ada@${domain}`, return_to: '/deep' });
    expect(seen.status).toBe(200);
    for (const { slug } of [one, two]) expect(seen.text).toContain(`name="connection" value="${slug}"`);
    const chosen = await typed({ email: `ada@${domain}`, return_to: '/deep', connection: one.slug });
    expect([chosen.status, new URL(chosen.location!).searchParams.get('login_hint')]).toEqual([303, `ada@${domain}`]);
    const other = await typed({ email: `ada@${domain}`, return_to: '/deep', connection: two.slug });
    expect(new URL(other.location!).searchParams.get('login_hint')).toBe(`ada@${domain}`);
    await trustDomain(service, house.tenantId, domain, { connection_id: two.id });
    expect((await login({ email: `ada@${domain}` })).location).toContain('https://idp.example.com/sso');
    await house.api.patch(`/connections/${two.id}`, { enabled: false });
    expect((await login({ email: `ada@${domain}` })).status).toBe(404);
    const off = await login({ connection: two.slug });
    expect([off.status, await reasonOf(house, off)]).toEqual([403, 'connection_disabled']);
  });

  it('keeps all parameters of the sign-in across the page of choice', async () => {
    const app = 'https://app.example.com';
    const door = await OidcWay.open(service, house, { directory_id: house.directoryId, return_origins: [app] }, op);
    await trustDomain(service, house.tenantId, domain);
    await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'between' }));
    const { verifier, query: challenge } = pkce();
    const asked = {
      return_to: `${app}/x`,
      ...challenge,
      prompt: 'login',
    };
    const browser = tab();
    const page = await login(asked, browser);
    const fields = [...page.text.matchAll(/name="([a-z_]+)" value="([^"]+)"/g)].map(([, name, value]) => [name, value]);
    const next = await login(
      { ...(Object.fromEntries(fields) as Record<string, string>), email: `ada@${domain}` },
      browser,
    );
    const query = new URL(next.location!).searchParams;
    expect(query.get('prompt')).toBe('login');
    const seen = await door.answer(browser, query, { sub: 'between' });
    const code = new URL(seen.location!).searchParams.get('code');
    const exchange = (body: object) => send('POST', `${service.url}/api/auth/token`, null, body);
    expect((await exchange({ code, code_verifier: verifier })).status).toBe(200);
  });

  it('refuses an unknown connection, and a wrong or repeated option, with a reason', async () => {
    const door = await OidcWay.open(service, house, {}, op);
    expect((await login({ connection: 'no-such-slug' })).status).toBe(404);
    for (const [field, query] of [
      ['prompt', { prompt: 'none' }],
      ['return_to', { return_to: 'https://evil.example/' }],
      ['code_challenge', { code_challenge: 'short', code_challenge_method: 'S256' }],
      ['code_challenge', { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }],
      ['iss', { iss: 'https://other.example' }],
    ] as const) {
      const seen = await tab().get(
        `/api/auth/login?${new URLSearchParams({ connection: door.slug, ...query }).toString()}`,
        {
          accept: 'application/json',
        },
      );
      expect([seen.status, JSON.parse(seen.text).errors[0].field]).toEqual([422, field]);
    }
    expect((await tab().get(`/api/auth/login?connection=${door.slug}&connection=x`)).status).toBe(400);
    const begun = async () =>
      (await service.db.execute(`select 1 from sign_in_requests where tenant_id = '${house.tenantId}'`)).rowCount;
    expect(await begun()).toBe(0);
    expect((await login({ connection: door.slug, iss: op.issuer, target_link_uri: '/there' })).status).toBe(302);
    expect(await begun()).toBe(1);
  });
});

describe('a sign-in that the IdP begins (OIDC Core §4)', () => {
  long('uses the named issuer, by GET or as a form; without exactly one match it asks', async () => {
    const own = await hostileOp(() => new Date());
    try {
      const door = await OidcWay.open(service, house, { directory_id: house.directoryId }, own);
      const asked = { iss: own.issuer, login_hint: 'ada@x.example', target_link_uri: '/deep' };
      const at = (seen: Seen): URL => new URL(seen.location!);
      const byGet = at(await login(asked));
      expect([byGet.origin, byGet.searchParams.get('login_hint')]).toEqual([own.issuer, 'ada@x.example']);
      const browser = tab();
      const posted = await browser.post('/api/auth/login', Object.entries(asked));
      expect(posted.status).toBe(303);
      const query = at(await browser.get(posted.location!)).searchParams;
      await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'began-there' }));
      const seen = await door.answer(browser, query, { sub: 'began-there' });
      expect([seen.status, at(seen).pathname]).toEqual([303, '/deep']);
      expect((await login({ iss: `${own.issuer}/` })).status).toBe(404);
      expect((await login({ iss: 'x\0y' })).status).toBe(404);
      const stranger = await newHouse(service);
      await OidcWay.open(service, stranger, {}, own);
      const both = await login(asked);
      expect([both.status, both.location]).toEqual([200, null]);
      expect(both.text).toContain('value="ada@x.example"');
      expect(both.text).not.toContain(door.slug);
      await house.api.patch(`/connections/${door.id}`, { enabled: false });
      expect((await login(asked)).status).toBe(302);
    } finally {
      await own.stop();
    }
  });

  long('leads a tile that names the organization to the authorization server of the connection', async () => {
    const door = await OidcWay.open(service, house, {}, op);
    for (const iss of [op.issuer, `${op.issuer}/`, `${op.issuer}/oauth2/default`]) {
      const seen = await login({ connection: door.slug, iss });
      expect([seen.status, new URL(seen.location!).origin]).toEqual([302, op.issuer]);
    }
    for (const iss of ['https://other.example', op.issuer.replace(/\d$/, '9999'), 'x', 'null']) {
      expect((await login({ connection: door.slug, iss })).status).toBe(422);
    }
    const saml = await SamlWay.open(service, house);
    expect((await login({ connection: saml.slug, iss: saml.idp.entityId })).status).toBe(302);
    expect((await login({ connection: saml.slug, iss: `${saml.idp.entityId}/other` })).status).toBe(422);
  });

  it('redirects to no other site, and accepts each parameter once', async () => {
    const door = await OidcWay.open(service, house, {}, op);
    const evil = await login({ connection: door.slug, target_link_uri: 'https://evil.example/' });
    expect(evil.status).toBe(422);
    const twice = await tab().post(`/api/auth/login?iss=https://a.example`, [['iss', 'https://b.example']]);
    expect((await tab().get(twice.location!)).status).toBe(400);
    const text = await tab().send('POST', '/api/auth/login', '{}', { 'content-type': 'application/json' });
    expect(text.status).toBe(415);
  });
});

describe('failures of a sign-in', () => {
  it('names an IdP that is away or answers nonsense in plain words, and the next try works', async () => {
    const door = await OidcWay.open(service, house, {}, op);
    for (const [canned, status, words, reason] of [
      [{ status: 500, body: 'no' }, 503, 'cannot be reached', 'idp_unreachable'],
      [{ status: 200, body: 'no' }, 401, 'We could not sign you in', 'idp_answer_invalid'],
    ] as const) {
      op.tamper.canned['/.well-known/openid-configuration'] = canned;
      const seen = await login({ connection: door.slug });
      expect([seen.status, await reasonOf(house, seen)]).toEqual([status, reason]);
      expect(seen.text).toContain(words);
    }
    op.reset();
    expect((await login({ connection: door.slug })).status).toBe(302);
  });

  it('offers a link with the same connection and target when a sign-in is expired, used or unknown', async () => {
    const door = await OidcWay.open(service, house, {}, op);
    const browser = tab();
    const asked = await door.begin(browser, { return_to: '/deep?x=1' });
    await service.db.execute(`update sign_in_requests set expires_at = now() where used_at is null`);
    const seen = await door.answer(browser, asked, {});
    expect(await reasonOf(house, seen)).toBe('state_expired');
    expect(seen.text).toContain(`connection=${door.slug}&amp;return_to=%2Fdeep%3Fx%3D1`);
    expect(seen.text.match(/class="button/g)).toHaveLength(1);
    const stranger = await tab().get(`/api/auth/callback/${door.slug}?state=x&code=y`);
    expect(stranger.text).toContain(`connection=${door.slug}`);
    expect(stranger.text).not.toContain('deep');
  });

  it('leads a user with a live session to the target of that sign-in', async () => {
    const door = await OidcWay.open(service, house, { directory_id: house.directoryId }, op);
    await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'on' }));
    const browser = tab();
    const asked = await door.begin(browser, { return_to: '/deep' });
    const cookies = new Map(browser.jar);
    await door.answer(browser, asked, { sub: 'on' });
    for (const [name, value] of cookies) browser.jar.set(name, value);
    const back = await door.answer(browser, asked, { sub: 'on' });
    expect([back.status, back.location]).toEqual([303, `${service.app.config.appUrl}/deep`]);
    const unknown = await browser.get(`/api/auth/callback/${door.slug}?state=x&code=y`);
    expect([unknown.status, unknown.location]).toEqual([303, `${service.app.config.appUrl}/`]);
  });

  it('leads home with a session when the target is not allowed any more', async () => {
    const app = 'https://app.example.com';
    const door = await OidcWay.open(service, house, { directory_id: house.directoryId, return_origins: [app] }, op);
    await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'moved' }));
    const browser = tab();
    const one = await door.begin(browser, { return_to: `${app}/x`, ...pkce().query });
    const two = await door.begin(browser, { return_to: `${app}/y`, ...pkce().query });
    const cookies = new Map(browser.jar);
    expect((await door.answer(browser, one, { sub: 'moved' })).location).toContain(app);
    await house.api.patch(`/connections/${door.id}`, { return_origins: [] });
    for (const asked of [two, one]) {
      for (const [name, value] of cookies) browser.jar.set(name, value);
      const seen = await door.answer(browser, asked, { sub: 'moved' });
      expect([seen.status, seen.location]).toEqual([303, `${service.app.config.appUrl}/`]);
    }
    expect(await browser.who()).not.toBeNull();
  });

  it('begins and ends nothing for pictures, frames, prefetches and previews of links', async () => {
    const door = await OidcWay.open(service, house, {}, op);
    const { body } = await house.api.post(`/connections/${door.id}/test-sign-in`);
    const count = async () => (await house.api.get('/sign-ins')).body.data.length as number;
    const before = await count();
    for (const path of [
      `/api/auth/login?connection=${door.slug}`,
      `/api/auth/callback/${door.slug}?state=x&code=y`,
      new URL(body.url).pathname,
    ]) {
      for (const headers of [
        { 'sec-fetch-dest': 'image' },
        { 'sec-fetch-dest': 'iframe' },
        { 'sec-purpose': 'prefetch' },
      ]) {
        expect((await tab().get(path, headers as unknown as Record<string, string>)).status).toBe(403);
      }
      expect((await tab().send('HEAD', path)).status).toBe(405);
    }
    expect(await count()).toBe(before);
    expect((await tab().get(body.url, { 'sec-fetch-dest': 'document' })).status).toBe(200);
    expect((await tab().post(body.url, [], { 'sec-fetch-dest': 'document' })).status).toBe(303);
  });

  it('answers when the database fails in the middle of a refusal', async () => {
    const door = await OidcWay.open(service, house, {}, op);
    const browser = tab();
    browser.jar.set('__Host-session', mintToken('tbn', house.tenantId).token);
    await service.db.execute('alter table sessions rename to sessions_away');
    try {
      const seen = await browser.get(`/api/auth/callback/${door.slug}?state=x&code=y`);
      expect(seen.status).toBe(500);
    } finally {
      await service.db.execute('alter table sessions_away rename to sessions');
    }
    expect((await browser.get(`/api/auth/callback/${door.slug}?state=x&code=y`)).status).toBe(400);
  });

  it('gives up the oldest sign-ins of a browser with very many tabs, and completes the newest', async () => {
    const door = await OidcWay.open(service, house, { directory_id: house.directoryId }, op);
    await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'tabs' }));
    const browser = tab();
    let last = await door.begin(browser);
    for (let i = 0; i < 20; i++) last = await door.begin(browser);
    expect(browser.cookies().length).toBeLessThan(1_500);
    expect((await door.answer(browser, last, { sub: 'tabs' })).status).toBe(303);
  });
});

describe('a test sign-in', () => {
  it('shows the claims, changes nothing, and works for a connection that is switched off', async () => {
    const door = await OidcWay.open(service, house, { enabled: false, directory_id: house.directoryId }, op);
    await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'tested' }));
    const { body } = await house.api.post(`/connections/${door.id}/test-sign-in`);
    const browser = tab();
    const first = await browser.post(body.url);
    expect(first.status).toBe(303);
    const asked = new URL(first.location!).searchParams;
    const seen = await door.answer(browser, asked, { sub: 'tested', department: '<i>Maths</i>' });
    expect(seen.status).toBe(200);
    expect(seen.text).toContain('&lt;i&gt;Maths&lt;/i&gt;');
    expect(seen.text).toContain('found by: claim');
    expect(await browser.who()).toBeNull();
    const { rows } = await service.db.execute(`select 1 from identities where connection_id = '${door.id}'`);
    expect(rows).toEqual([]);
    expect((await house.api.get('/sign-ins')).body.data[0]).toMatchObject({ kind: 'test', outcome: 'success' });
    const late = await tab().get(body.url);
    expect(await reasonOf(house, late)).toBe('state_used');
    expect(late.text).toContain('make a new one');
  });

  it('shows the reason of a refusal to the admin who opened it', async () => {
    const door = await OidcWay.open(service, house, {}, op);
    const { body } = await house.api.post(`/connections/${door.id}/test-sign-in`);
    const browser = tab();
    const asked = new URL((await browser.post(body.url)).location!).searchParams;
    const seen = await door.answer(browser, asked, { aud: 'another' });
    expect(seen.text).toContain('audience_mismatch');
    expect(seen.text).toContain('The test sign-in is refused');
    expect(await browser.who()).toBeNull();
  });

  it('is begun by its button alone: opening its link, however often, uses nothing up', async () => {
    const door = await OidcWay.open(service, house, {}, op);
    const { body } = await house.api.post(`/connections/${door.id}/test-sign-in`);
    for (let i = 0; i < 3; i++) {
      const page = await tab().get(body.url);
      expect([page.status, page.location, page.headers.getSetCookie()]).toEqual([200, null, []]);
      expect(page.text).toContain('<form method="post"');
    }
    const foreign: Record<string, string>[] = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }];
    for (const headers of foreign) expect((await tab().post(body.url, [], headers)).status).toBe(403);
    const [one, two] = await Promise.all([tab().post(body.url), tab().post(body.url)]);
    expect([one.status, two.status].sort()).toEqual([200, 303]);
    expect((await tab().get(body.url)).text).toContain('make a new one');
  });

  it('is open to admins of its tenant alone', async () => {
    const door = await OidcWay.open(service, house, {}, op);
    const other = await newHouse(service);
    expect((await other.api.post(`/connections/${door.id}/test-sign-in`)).status).toBe(404);
  });
});

describe('the log of sign-ins', () => {
  it('is listed, filtered and exported; another tenant sees nothing of it', async () => {
    const door = await OidcWay.open(service, house, { directory_id: house.directoryId }, op);
    const id = await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: 'logged' }));
    await door.signIn(tab(), { sub: 'logged' });
    await door.signIn(tab(), { sub: '=cmd()', email: '=cmd()@evil.example' });
    const all = (await house.api.get('/sign-ins')).body.data;
    expect(all.map((one: { outcome: string }) => one.outcome)).toEqual(['refused', 'success']);
    expect((await house.api.get(`/sign-ins?user_id=${id}`)).body.data).toHaveLength(1);
    expect((await house.api.get('/sign-ins?outcome=refused&limit=1')).body.data).toHaveLength(1);
    for (const [filter, expected] of [
      ['reason=email_outside_domains', 1],
      ['reason=no_seat', 0],
      ['kind=sign-in', 2],
      ['kind=sign-in&outcome=success', 1],
      ['kind=logout', 0],
    ] as const) {
      const { data } = (await house.api.get(`/sign-ins?${filter}`)).body;
      expect([filter, data.length]).toEqual([filter, expected]);
      const { text } = await house.api.get(`/sign-ins?${filter}&format=csv`);
      expect([filter, text.trim().split('\r\n').length]).toEqual([filter, expected + 1]);
    }
    for (const wrong of ['outcome=maybe', 'reason=because', 'reason=', 'kind=signin']) {
      expect([wrong, (await house.api.get(`/sign-ins?${wrong}`)).status]).toEqual([wrong, 422]);
    }
    const csv = await house.api.get('/sign-ins?format=csv');
    expect(csv.text).toContain(`'=cmd()@evil.example`);
    const stranger = await newHouse(service);
    expect((await stranger.api.get(`/sign-ins?support_id=${all[0].id}`)).body.data).toEqual([]);
  });
});
