import { mock } from 'node:test';
import { Logger } from '../../../../src/base/log/logger.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { freePort } from '../../../../src/base/database/embedded/embedded-postgres.js';
import { client, eventually, send } from '../../../support/http.js';
import { newHouse, type House } from '../../../support/house.js';
import { fresh, madeUser, patch, user } from '../../../support/scim.js';
import { Tab, type Seen } from '../../../support/sign-in/tab.js';
import { startLever, type LeverSimulator } from '../../../simulators/index.js';
import { long } from '../../../support/rounds.js';

const START = '/api/integrations/lever/start';
const CONNECT = '/api/integrations/lever/connect';
const CLIENT = { id: 'lev_client', secret: 'lev-client-secret' };

let service: TestApp;
let lever: LeverSimulator;
let house: House;
let owner: string;

beforeAll(async () => {
  // Lever calls the webhook address of the settings.
  const port = await freePort();
  const own = `http://127.0.0.1:${port}`;
  lever = await startLever({
    rateFactor: 100,
    client: { ...CLIENT, redirects: [`${own}/api/integrations/lever/callback`] },
  });
  service = await startApp({
    PORT: String(port),
    BASE_URL: own,
    ATS_OAUTH_CLIENTS: `lever:${CLIENT.id}:${CLIENT.secret}`,
    ATS_SIMULATORS: `lever=${lever.origin}`,
  });
});
afterAll(async () => {
  await service.close();
  await lever.close();
});
beforeEach(async () => {
  lever.grants.grantOnly = null;
  house = await newHouse(service);
  owner = await madeUser(house.scim, user(`${fresh()}@e.com`));
  await house.api.patch('/tenant', { owner_user_id: owner });
});

/** A browser in which a person is signed in, by a link of the operator. */
async function signedIn(of: House = house): Promise<Tab> {
  const operator = client(`${service.url}/api/v1`, service.operatorToken);
  const { body } = await operator.post(`/tenants/${of.tenantId}/owner-sign-in-link`);
  const tab = new Tab(service);
  await tab.post('/api/auth/owner-sign-in', [['code', new URL(body.url as string).hash.slice(1)]]);
  return tab;
}

/** The page of the ATS, and what the person decides there. @returns the address that the browser goes back to */
async function atLever(address: string, decision: 'approve' | 'deny' = 'approve'): Promise<string> {
  const shown = await fetch(address);
  expect(shown.status).toBe(200);
  const form = new URLSearchParams({ decision });
  const fields = (await shown.text()).matchAll(
    /name="(client_id|redirect_uri|state|scope|code_challenge)" value="([^"]*)"/g,
  );
  for (const [, name, value] of fields)
    form.set(
      name!,
      value!.replace(/&#(\d+);/g, (_, n) => String.fromCharCode(Number(n))),
    );
  const answer = await fetch(`${lever.origin}/authorize`, { method: 'POST', body: form, redirect: 'manual' });
  return answer.headers.get('location')!;
}

const begin = (tab: Tab, connection = ''): Promise<Seen> => tab.post(START, [['connection', connection]]);
const link = async (): Promise<{ id: string; url: string }> =>
  (await house.api.post('/ats-connect-links', { provider: 'lever' })).body as { id: string; url: string };
const secretOf = (url: string): string => new URL(url).hash.slice(1);
const connections = async (of: House = house) =>
  (await of.api.get('/ats-connections')).body.data as Record<string, unknown>[];
/** Waits until the work that follows a grant is done. */
const setUp = (): Promise<unknown> =>
  eventually(
    async () => (await house.api.get('/tasks')).body.data as { kind: string; state: string }[],
    (tasks) => tasks.some(({ kind, state }) => kind === 'ats.connect' && state === 'done'),
  );
const isRefused = (seen: Seen, words: RegExp): void => {
  expect([seen.status, seen.text]).toEqual([400, expect.stringMatching(words)]);
};

describe('a signed-in administrator', () => {
  long('connects Lever without a key: grant, webhooks and first sync set themselves up', async () => {
    const posting = lever.add.posting({ text: 'Platform Engineer' });
    const tab = await signedIn();
    const page = await tab.get(START);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('Connect Lever')]);
    const sent = await begin(tab);
    expect(sent.status).toBe(303);
    const done = await tab.get(await atLever(sent.location!));
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('is connected')]);
    const [made] = await connections();
    expect(made).toMatchObject({
      provider: 'lever',
      marker: 'lv_',
      state: 'ok',
      credential: 'oauth',
      missing_scopes: [],
    });
    await setUp();
    expect(((await connections())[0]!['webhook'] as { made: string[] }).made).toContain('candidateStageChange');
    const jobs = async () => (await house.api.get(`/jobs?external_id=lv_${posting.id}`)).body.data as object[];
    expect(await eventually(jobs, (found) => found.length === 1)).toMatchObject([
      { title: 'Platform Engineer', ats: 'lever' },
    ]);
    const { body: audit } = await house.api.get('/audit?action=ats_connection.created');
    expect(audit.data).toMatchObject([{ actor: { kind: 'user', id: owner } }]);
    expect(JSON.stringify(await connections())).not.toMatch(/lev_(at|rt)_/);
  });

  test('is sent to the sign-in and back without a session', async () => {
    const seen = await new Tab(service).get(START);
    expect([seen.status, seen.location]).toEqual([
      302,
      expect.stringContaining('return_to=%2Fapi%2Fintegrations%2Flever%2Fstart'),
    ]);
  });

  test('is refused with a reason when the role does not administer', async () => {
    const tab = await signedIn();
    const other = await madeUser(house.scim, user(`${fresh()}@e.com`));
    await house.api.patch('/tenant', { owner_user_id: other });
    const page = await tab.get(START);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('do not administer')]);
    expect((await begin(tab)).status).toBe(403);
    await house.api.patch('/roles/User', { console: 'admin' });
    expect((await tab.get(START)).status).toBe(200);
  });

  test('sees a denial, which changes nothing', async () => {
    const tab = await signedIn();
    const back = await atLever((await begin(tab)).location!, 'deny');
    isRefused(await tab.get(back), /not approved/);
    expect(await connections()).toEqual([]);
  });

  test.each([
    ['invalid_scope', /The code of its error is invalid_scope\./, 'invalid_scope'],
    ['Call%20%2B41%20555', /ended the connecting with an error/, 'not_a_code'],
  ])('shows and logs the code of an error of the ATS, and no other text: %s', async (error, words, reason) => {
    const tab = await signedIn();
    const logged = mock.method(service.app.nest.get(Logger), 'warn');
    const denied = await atLever((await begin(tab)).location!, 'deny');
    const answer = await tab.get(denied.replace('error=access_denied', `error=${error}`));
    isRefused(answer, words);
    expect(answer.text).not.toContain('555');
    logged.mock.restore();
    const lines = logged.mock.calls.map((call) => call.arguments);
    expect(lines).toContainEqual(['ats.authorization_refused', expect.objectContaining({ reason })]);
    expect(await connections()).toEqual([]);
  });

  test('sees a missing scope by name, and the connection is degraded', async () => {
    lever.grants.grantOnly = ['offline_access', 'postings:read:admin'];
    const tab = await signedIn();
    const done = await tab.get(await atLever((await begin(tab)).location!));
    expect(done.text).toContain('notes:write:admin');
    const [made] = await connections();
    expect(made!['problems']).toContainEqual(expect.objectContaining({ problem: 'scopes' }));
    expect(made!['missing_scopes']).toContain('notes:write:admin');
  });

  long('gives a withdrawn grant anew to the same connection', async () => {
    const tab = await signedIn();
    await tab.get(await atLever((await begin(tab)).location!));
    const [made] = await connections();
    const id = made!['id'] as string;
    await setUp();
    lever.grants.revokeAll();
    expect((await house.api.post(`/ats-connections/${id}/test`)).body).toMatchObject({ ok: false });
    expect((await connections())[0]).toMatchObject({ state: 'reconnect_needed', reason: 'grant_revoked' });
    expect((await tab.get(START)).text).toContain('again');
    await tab.get(await atLever((await begin(tab, id)).location!));
    expect(await connections()).toMatchObject([{ id, state: 'ok' }]);
    const { body } = await house.api.get('/events?event=ats.reconnect_needed');
    expect(body.data).toHaveLength(1);
  });

  long('cannot give a grant of another account to a connection', async () => {
    lever.add.opportunity({ posting: lever.add.posting().id, silent: true });
    const tab = await signedIn();
    await tab.get(await atLever((await begin(tab)).location!));
    const id = (await connections())[0]!['id'] as string;
    const candidates = async () => (await house.api.get('/candidates')).body.data as object[];
    await eventually(candidates, (found) => found.length > 0);
    await setUp();
    lever.fault({ kind: 'status', status: 404, times: null, path: '/opportunities/' });
    lever.fault({ kind: 'status', status: 404, times: null, path: '/postings/' });
    const back = await atLever((await begin(tab, id)).location!);
    isRefused(await tab.get(back), /another account/);
    lever.faults.clear();
    expect(await connections()).toMatchObject([{ id, state: 'ok' }]);
    expect((await house.api.get('/audit?action=ats_connection.reconnected')).body.data).toEqual([]);
    expect((await house.api.post(`/ats-connections/${id}/test`)).body).toMatchObject({ ok: true });
  });
});

describe('the state of an authorization', () => {
  test('is used once', async () => {
    const tab = await signedIn();
    const back = await atLever((await begin(tab)).location!);
    const cookie = { cookie: tab.cookies() };
    expect((await tab.get(back)).status).toBe(200);
    isRefused(await tab.get(back, cookie), /used already/);
    expect(await connections()).toHaveLength(1);
  });

  test('connects once when two answers come at the same moment', async () => {
    const tab = await signedIn();
    const back = await atLever((await begin(tab)).location!);
    const seen = await Promise.all([tab.get(back), tab.get(back), tab.get(back)]);
    expect(seen.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    expect(await connections()).toHaveLength(1);
  });

  test('is bound to the browser by a code challenge, and refused with another one (RFC 7636)', async () => {
    const tab = await signedIn();
    const address = new URL((await begin(tab)).location!);
    expect(address.searchParams.get('code_challenge_method')).toBe('S256');
    expect(address.searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/);
    address.searchParams.set('code_challenge', 'x'.repeat(43));
    isRefused(await tab.get(await atLever(address.href)), /refused/);
  });

  test('is refused with another issuer, and accepted with the issuer of the ATS (RFC 9207)', async () => {
    const tab = await signedIn();
    const back = await atLever((await begin(tab)).location!);
    isRefused(await tab.get(`${back}&iss=${encodeURIComponent('https://attacker.example')}`), /another ATS/);
    expect((await tab.get(`${back}&iss=${encodeURIComponent(lever.origin)}`)).status).toBe(200);
  });

  test('expires after ten minutes', async () => {
    const tab = await signedIn();
    const back = await atLever((await begin(tab)).location!);
    await service.db.execute(`update ats_authorizations set expires_at = now() where tenant_id = $1`, [house.tenantId]);
    isRefused(await tab.get(back), /ten minutes/);
  });

  test('is refused from another browser, user, tenant or provider, and stays usable', async () => {
    const tab = await signedIn();
    const back = await atLever((await begin(tab)).location!);
    isRefused(await new Tab(service).get(back), /another browser/);
    const strangers = await newHouse(service);
    const stranger = await madeUser(strangers.scim, user(`${fresh()}@e.com`));
    await strangers.api.patch('/tenant', { owner_user_id: stranger });
    const theirs = await signedIn(strangers);
    isRefused(await theirs.get(back), /another browser/);
    // The cookie of the browser alone does not help another tenant's person.
    const both = [...tab.jar]
      .filter(([name]) => name.startsWith('__Host-ats-'))
      .map(([name, value]) => `${name}=${value}`);
    isRefused(await theirs.get(back, { cookie: [theirs.cookies(), ...both].join('; ') }), /not signed in/);
    expect(await connections(strangers)).toEqual([]);
    expect((await tab.get(back)).status).toBe(200);
  });

  test.each(['', 'nonsense', 'tbg_00000000_x'])('is refused when it is %j', async (state) => {
    isRefused(
      await new Tab(service).get(`/api/integrations/lever/callback?code=c&state=${state}`),
      /belongs to no connecting/,
    );
  });
});

describe('a connect link', () => {
  test('names its tenant, connects once without an account, and is audited under its maker', async () => {
    const { url } = await link();
    const tab = new Tab(service);
    expect((await tab.get(CONNECT)).status).toBe(200);
    const asked = await tab.post(CONNECT, [['code', url]]);
    expect([asked.status, asked.text]).toEqual([200, expect.stringContaining('Continue to Lever')]);
    const sent = await tab.post(CONNECT, [
      ['code', secretOf(url)],
      ['confirmed', 'yes'],
    ]);
    expect((await tab.get(await atLever(sent.location!))).status).toBe(200);
    isRefused(await tab.post(CONNECT, [['code', url]]), /connect link is not valid/);
    expect(await connections()).toHaveLength(1);
    const { body } = await house.api.get('/audit?action=ats_connection.created');
    expect(body.data).toMatchObject([{ actor: { kind: 'key' } }]);
    expect((await house.api.get('/ats-connect-links')).body.data).toMatchObject([{ used_at: expect.any(String) }]);
  });

  test('shows no name of a key that says that someone has checked it', async () => {
    const name = 'Example Ltd ✓ verified by talent-bridge';
    const { body: key } = await house.api.post('/api-keys', { name, scopes: ['ats:manage'] });
    const links = `${service.url}/api/v1/ats-connect-links`;
    const { body: made } = await send('POST', links, key.api_key as string, { provider: 'lever' });
    const { text } = await new Tab(service).post(CONNECT, [['code', secretOf(made.url as string)]]);
    expect(text.replace(/\s+/g, ' ')).toContain('The link was made by the key on ');
    expect(text).not.toContain('verified by');
  });

  test('shows the verified domains, a former name for 30 days, and who made the link', async () => {
    const shown = async () => {
      const { text } = await new Tab(service).post(CONNECT, [['code', (await link()).url]]);
      return text.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ');
    };
    const first = await shown();
    expect(first).toContain('no verified domain');
    expect(first).toMatch(/The link was made by the key “[^”]+” on \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
    expect(first).not.toContain('was named');
    const domain = `${fresh()}.example`;
    await service.db.execute(
      `insert into domains (tenant_id, domain, challenge, verified_by) values ('${house.tenantId}', '${domain}', 'c', 'dns')`,
    );
    const { name } = (await house.api.get('/tenant')).body;
    expect((await house.api.patch('/tenant', { name: 'Another Name Ltd' })).status).toBe(200);
    const second = await shown();
    expect(second).toContain(`Verified domains of this tenant: ${domain}`);
    expect(second).toMatch(new RegExp(`this tenant was named ${String(name)}`));
    await service.db.execute(
      `update tenants set name_changed_at = now() - interval '31 days' where id = '${house.tenantId}'`,
    );
    expect(await shown()).not.toContain('was named');
    expect((await house.api.patch('/tenant', { name: 'V\u0456ctim Ltd' })).status).toBe(422);
  });

  test('ends at once when it is revoked, also for a connecting that is under way', async () => {
    const { id, url } = await link();
    const tab = new Tab(service);
    const sent = await tab.post(CONNECT, [
      ['code', secretOf(url)],
      ['confirmed', 'yes'],
    ]);
    const back = await atLever(sent.location!);
    expect((await house.api.delete(`/ats-connect-links/${id}`)).status).toBe(204);
    isRefused(await tab.post(CONNECT, [['code', url]]), /connect link is not valid/);
    isRefused(await tab.get(back), /connect link is not valid/);
    expect(await connections()).toEqual([]);
  });

  test.each<[string, (key: { id: string; user: string }) => Promise<unknown>]>([
    ['its key is revoked', ({ id }) => house.api.delete(`/api-keys/${id}`)],
    ['its key expires', ({ id }) => service.db.query(`update api_keys set expires_at = now() where id = $1`, [id])],
    [
      'the user of its key leaves',
      ({ user }) => house.scim.patch(`/Users/${user}`, patch({ op: 'replace', path: 'active', value: false })),
    ],
    ['the user of its key is deleted', ({ user }) => house.api.delete(`/users/${user}`)],
  ])('ends when %s, also for a connecting that is under way', async (_, end) => {
    const made = await house.api.post('/users', { email: `${fresh()}@e.com`, first_name: 'A', last_name: 'B' });
    const leaver = made.body.id as string;
    const named = { name: 'contractor', scopes: ['ats:manage'], owner_user_id: leaver };
    const key = (await house.api.post('/api-keys', named)).body;
    const theirs = client(`${service.url}/api/v1`, key.api_key);
    const { url } = (await theirs.post('/ats-connect-links', { provider: 'lever' })).body;
    const tab = new Tab(service);
    const sent = await tab.post(CONNECT, [
      ['code', secretOf(url)],
      ['confirmed', 'yes'],
    ]);
    const back = await atLever(sent.location!);
    expect((await house.api.get('/ats-connect-links')).body.data).toMatchObject([{ revoked_at: null }]);
    await end({ id: key.id, user: leaver });
    isRefused(await tab.post(CONNECT, [['code', url]]), /connect link is not valid/);
    isRefused(await tab.get(back), /connect link is not valid/);
    expect(await connections()).toEqual([]);
    expect((await house.api.get('/ats-connect-links')).body.data).toMatchObject([{ revoked_at: expect.any(String) }]);
  });

  test('is for one provider; unknown secrets get the same refusal', async () => {
    const tab = new Tab(service);
    isRefused(await tab.post(CONNECT, [['code', 'tbi_nonsense']]), /connect link is not valid/);
    expect((await tab.get('/api/integrations/unknown/connect')).status).toBe(404);
    expect((await tab.get('/api/integrations/ashby/start')).status).toBe(404);
  });

  test('is neither shown to another tenant nor revoked by it', async () => {
    const { id } = await link();
    const other = await newHouse(service);
    expect((await other.api.delete(`/ats-connect-links/${id}`)).status).toBe(404);
    expect((await other.api.get('/ats-connect-links')).body.data).toEqual([]);
  });
});

describe('the user that writes', () => {
  const WRITER = '/api/integrations/lever/writer';
  const DANA = '32bc4d3b-0000-4e2b-92d0-00000000d4a1';
  const stateIn = (address: string): string => new URL(address).searchParams.get('state')!;
  const choose = (tab: Tab, back: string, as_user: string) =>
    tab.post(WRITER, Object.entries({ state: stateIn(back), as_user }));
  const written = async () => ((await connections())[0]!['writes'] as { as_user: string | null }).as_user;

  /** A connection that a connect link has made: its holder is no user of this service. */
  async function byLink(): Promise<{ tab: Tab; back: string; done: Seen }> {
    const tab = new Tab(service);
    const code = secretOf((await link()).url);
    const back = await atLever((await tab.post(CONNECT, Object.entries({ code, confirmed: 'yes' }))).location!);
    return { tab, back, done: await tab.get(back) };
  }

  test('asks for the user that writes, and sets it, when no user of Lever has approved the connection', async () => {
    const { id: leaver } = lever.add.user({ name: 'Left', deactivatedAt: 1 });
    const { tab, back, done } = await byLink();
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('Dana Whitlock')]);
    expect(done.text).not.toContain('Left');
    expect((await connections())[0]!['missing']).toEqual(['as_user']);
    const refused = await choose(tab, back, leaver);
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('not active')]);
    expect((await choose(tab, back, DANA)).status).toBe(200);
    expect((await connections())[0]).toMatchObject({ missing: [], writes: { as_user: DANA } });
    const { body: audit } = await house.api.get('/audit?action=ats_connection.changed');
    expect(audit.data).toMatchObject([{ actor: { kind: 'key' } }]);
    isRefused(await choose(tab, back, DANA), /another browser/);
  });

  test('is not set from another browser, after the ten minutes, or without the right of the maker', async () => {
    const { tab, back } = await byLink();
    isRefused(await choose(new Tab(service), back, DANA), /another browser/);
    await service.db.execute(`update ats_authorizations set expires_at = now() where tenant_id = $1`, [house.tenantId]);
    isRefused(await choose(tab, back, DANA), /no longer valid/);
    expect(await written()).toBeNull();
  });

  test('is not asked for when Lever has a user with the e-mail of the administrator', async () => {
    const { body } = await house.api.get(`/users/${owner}`);
    lever.add.user({ name: 'The owner', email: body.email as string });
    const tab = await signedIn();
    const done = await tab.get(await atLever((await begin(tab)).location!));
    expect(done.text).not.toContain('Who writes');
    expect((await connections())[0]!['missing']).toEqual([]);
  });

  long('is asked for by its id when Lever does not show its users', async () => {
    lever.fault({ kind: 'status', status: 403, times: null, path: '/users' });
    const { tab, back, done } = await byLink();
    lever.faults.clear();
    expect(done.text).toContain('its id');
    expect((await choose(tab, back, DANA)).status).toBe(200);
    expect(await written()).toBe(DANA);
  });
});

long('refuses to connect an account of Lever twice', async () => {
  lever.add.opportunity({ posting: lever.add.posting().id, silent: true });
  const tab = await signedIn();
  await tab.get(await atLever((await begin(tab)).location!));
  await eventually(
    async () => (await house.api.get('/candidates')).body.data as object[],
    (found) => found.length > 0,
  );
  await setUp();
  isRefused(await tab.get(await atLever((await begin(tab)).location!)), /connected already/);
  expect(await connections()).toHaveLength(1);
});

test('begins no connecting by a form of another site', async () => {
  const tab = await signedIn();
  const seen = await tab.post(START, [], { 'sec-fetch-site': 'cross-site' });
  expect(seen.status).toBe(403);
});

long('removes the webhooks at Lever and revokes the grant at a disconnect, and names what stays', async () => {
  const tab = await signedIn();
  await tab.get(await atLever((await begin(tab)).location!));
  await setUp();
  const [made] = await connections();
  const before = lever.webhooks().map(({ id }) => id);
  const { body } = await house.api.post(`/ats-connections/${made!['id'] as string}/disconnect`);
  expect(body).toMatchObject({ state: 'disconnected', webhook: { tokens: [], made: [] } });
  expect(body.webhooks_removed).toBeGreaterThan(0);
  const after = new Set(lever.webhooks().map(({ id }) => id));
  // Those of other tenants are being made meanwhile.
  expect(before.filter((id) => !after.has(id))).toHaveLength(body.webhooks_removed as number);
  expect(body.stays.join(' ')).toContain('Candidates and job openings stay');
});
