import { Clock } from '../../../../src/base/clock.js';
import { startApp, type TestApp } from '../../../support/app.js';
import { newHouse, type House } from '../../../support/house.js';
import { fresh, madeUser, user } from '../../../support/scim.js';
import { hostileOp, type HostileOp } from '../../../protocols/oidc/support/op.js';
import { OidcWay, SamlWay } from '../../../support/sign-in/connections.js';

// How often an address may try, over all processes, and who may finish all the same (ADM-04).
let service: TestApp;
let house: House;
let op: HostileOp;
beforeAll(async () => {
  service = await startApp();
  op = await hostileOp(() => new Date());
});
beforeEach(async () => {
  house = await newHouse(service);
  op.reset();
});
afterAll(async () => {
  await op.stop();
  await service.close();
});

/** A process with limits in which no time goes by, so that nothing that was used up comes back. */
async function withLimits(): Promise<TestApp> {
  const busy = await startApp({ RATE_LIMIT: '100', TRUST_PROXY: '127.0.0.1' }, service);
  const now = performance.now();
  busy.app.nest.get(Clock).monotonic = () => now;
  return busy;
}

it('limits front-channel logouts without a session for their address alone', async () => {
  const busy = await withLimits();
  try {
    const door = await OidcWay.open(service, house, { directory_id: house.directoryId }, op);
    const [sub, sid] = [fresh('sub'), fresh('sid')];
    await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
    const tab = door.tab();
    await door.signIn(tab, { sub, sid });
    const frame = async (address: string, named: string) => {
      const query = new URLSearchParams({ iss: op.issuer, sid: named });
      const init = { headers: { 'x-forwarded-for': address, accept: 'text/html' } };
      return (await fetch(`${busy.url}/api/auth/frontchannel-logout/${door.slug}?${query.toString()}`, init)).status;
    };
    let seen = 200;
    let guesses = 0;
    for (; guesses < 400 && seen === 200; guesses++) seen = await frame('192.0.2.1', `guess-${guesses}`);
    expect([seen, guesses]).toEqual([429, 301]);
    expect(await frame('192.0.2.1', sid)).toBe(429);
    expect(await tab.who()).not.toBeNull();
    expect(await frame('192.0.2.2', sid)).toBe(200);
    expect(await tab.who()).toBeNull();
  } finally {
    await busy.close();
  }
});

it('refuses an address that begins or fails too often, and no other address', async () => {
  const busy = await withLimits();
  try {
    const door = await OidcWay.open(service, house, {}, op);
    const from = (address: string, path: string) =>
      fetch(busy.url + path, { redirect: 'manual', headers: { 'x-forwarded-for': address, accept: 'text/html' } });
    const start = `/api/auth/login?connection=${door.slug}`;
    let answer = await from('192.0.2.1', start);
    for (let i = 0; i < 400 && answer.status !== 429; i++) answer = await from('192.0.2.1', start);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '120']);
    expect((await from('192.0.2.2', start)).status).toBe(302);
    const fail = `/api/auth/callback/${door.slug}?state=x&code=y`;
    let failed = await from('192.0.2.3', fail);
    for (let i = 0; i < 500 && failed.status !== 429; i++) failed = await from('192.0.2.3', fail);
    expect(failed.status).toBe(429);
    expect((await from('192.0.2.2', fail)).status).toBe(400);
    for (const junk of ['', '?state=x&state=y', '?SAMLResponse=x']) {
      expect((await from('192.0.2.3', `/api/auth/callback/${door.slug}${junk}`)).status).toBe(429);
    }
    // Another process knows of it.
    const beside = await withLimits();
    try {
      const there = () =>
        fetch(`${beside.url}${fail}`, { redirect: 'manual', headers: { 'x-forwarded-for': '192.0.2.3' } });
      let [tries, seen] = [1, await there()];
      for (; tries < 400 && seen.status !== 429; tries++) seen = await there();
      expect([seen.status, tries < 100]).toEqual([429, true]);
    } finally {
      await beside.close();
    }
    // Beyond the limit nothing is written, and a sign-in that has begun may be finished.
    const rows = async () =>
      (await service.db.execute(`select 1 from sign_ins where connection_id = '${door.id}'`)).rowCount;
    const written = await rows();
    for (let i = 0; i < 20; i++) await from('192.0.2.3', fail);
    expect(await rows()).toBe(written);
    // One network of IPv6 counts as one.
    let v6 = await from('2001:db8:1:2::1', start);
    for (let i = 2; i < 400 && v6.status !== 429; i++) v6 = await from(`2001:db8:1:2::${i.toString(16)}`, start);
    expect(v6.status).toBe(429);
  } finally {
    await busy.close();
  }
});

it('refuses nothing at one tenant for failures of an address at another', async () => {
  const busy = await withLimits();
  try {
    const loud = await OidcWay.open(service, house, {}, op);
    const quiet = await OidcWay.open(service, await newHouse(service), {}, op);
    const headers = { 'x-forwarded-for': '192.0.2.9', accept: 'text/html' };
    const get = async (path: string) => (await fetch(busy.url + path, { redirect: 'manual', headers })).status;
    const used = async (path: string) => {
      let status = 0;
      for (let i = 0; i < 500 && status !== 429; i++) status = await get(path);
      return status;
    };
    expect(await used(`/api/auth/login?connection=${loud.slug}`)).toBe(429);
    expect(await get(`/api/auth/login?connection=${quiet.slug}`)).toBe(302);
    expect(await used(`/api/auth/callback/${loud.slug}?state=x&code=y`)).toBe(429);
    expect(await get(`/api/auth/callback/${quiet.slug}?state=x&code=y`)).toBe(400);
    const logout = async (door: OidcWay) => {
      const form = { method: 'POST', headers, body: new URLSearchParams({ logout_token: 'x' }) };
      return (await fetch(`${busy.url}/api/auth/backchannel-logout/${door.slug}`, form)).status;
    };
    let status = 0;
    for (let i = 0; i < 500 && status !== 429; i++) status = await logout(loud);
    expect([status, await logout(quiet)]).toEqual([429, 400]);
  } finally {
    await busy.close();
  }
});

it('reads answers over the limit only when this browser has begun the sign-in, a few times', async () => {
  const busy = await withLimits();
  try {
    const [saml, open] = [
      await SamlWay.open(busy, house, { directory_id: house.directoryId }),
      await SamlWay.open(busy, house, { allow_idp_initiated: true }),
    ];
    await madeUser(house.scim, user(fresh(), { externalId: 'honest' }));
    const from = { 'x-forwarded-for': '192.0.2.7' };
    const junk = (cookie: string, relay: string | null, door = saml) => {
      const form = new URLSearchParams({ SAMLResponse: Buffer.from('<a/>').toString('base64') });
      if (relay !== null) form.set('RelayState', relay);
      const headers = { ...from, 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', cookie };
      return fetch(`${busy.url}/api/auth/callback/${door.slug}`, { method: 'POST', headers, body: form });
    };
    let seen = await junk('', null);
    for (let i = 0; i < 500 && seen.status !== 429; i++) seen = await junk('', null);
    expect(seen.status).toBe(429);
    const browser = saml.tab();
    const { id, relayState } = await saml.begin(browser);
    const [name, secret] = [...browser.jar].find(([one]) => one.startsWith('__Host-signin-'))!;
    const tried: [string, string | null, SamlWay?][] = [
      ['__Host-signin-x=1', null],
      ['__Host-signin-x=1', 'x'],
      [`${name}=${'x'.repeat(43)}`, relayState],
      [`${name}=${secret}`, null],
      [`${name}=${secret}`, `${relayState.slice(0, -1)}_`],
      [`${name}=${secret}`, relayState, open],
      ['__Host-signin-x=1', null, open],
    ];
    for (const one of tried) expect([one, (await junk(...one)).status]).toEqual([one, 429]);
    // Theirs is read, though not without end.
    expect((await junk(`${name}=${secret}`, relayState)).status).toBe(401);
    const form = saml.idp.form(saml.parts(id, { nameId: 'honest' }));
    form.set('RelayState', relayState);
    expect((await browser.post(`/api/auth/callback/${saml.slug}`, form, from)).status).toBe(303);
    expect((await junk(`${name}=${secret}`, relayState)).status).toBe(429);
    const next = saml.tab();
    const again = await saml.begin(next);
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++) statuses.push((await junk(next.cookies(), again.relayState)).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  } finally {
    await busy.close();
  }
});
