import { hostileOp, type HostileOp } from '../../protocols/oidc/support/op.js';
import { sharedApp, type TestApp } from '../../support/app.js';
import { ConsoleBrowser } from '../../support/console.js';
import { newHouse, type House } from '../../support/house.js';
import { long } from '../../support/rounds.js';
import { fresh, madeUser, user } from '../../support/scim.js';
import { OidcWay, SamlWay } from '../../support/sign-in/connections.js';

let service: TestApp;
let house: House;
let op: HostileOp;
beforeAll(async () => {
  service = await sharedApp();
  op = await hostileOp(() => new Date());
  house = await newHouse(service);
  await house.api.post('/roles', { name: 'Console', takes_seat: false, console: 'admin' });
  await house.api.patch('/tenant', { api_may_write_directory_users: true });
});
afterAll(async () => {
  await op.stop();
  await service.close();
});

const AGAIN = { prompt: 'login' };
const secondsAgo = (count: number) => Math.floor(Date.now() / 1000) - count;

/** Makes an administrator of the tenant; returns the subject at the IdP. */
async function administrator(): Promise<string> {
  const subject = fresh();
  const id = await madeUser(house.scim, user(`${subject}@example.com`, { externalId: subject }));
  await house.api.patch(`/users/${id}`, { role: 'Console' });
  return subject;
}

/** Enters the console, and tries an act that needs a recent sign-in; returns status and words. */
async function tried(browser: ConsoleBrowser): Promise<[number, string]> {
  const entered = await browser.ask('POST', '/console/session');
  expect(entered.status).toBe(201);
  const { status, body } = await browser.ask('POST', '/api-keys', { name: 'k', scopes: ['users:read'] });
  return [status, (body.detail ?? '') as string];
}

/** The detail of the newest line of the sign-in log. */
const noted = async () => (await house.api.get('/sign-ins?limit=1')).body.data[0].detail as string | null;

describe('a sign-in by OpenID Connect', () => {
  let door: OidcWay;
  beforeAll(async () => {
    door = await OidcWay.open(service, house, { directory_id: house.directoryId }, op);
  });
  const signIn = async (authTime: unknown, more: Record<string, string> = {}) => {
    const browser = new ConsoleBrowser(service);
    const claims = { sub: await administrator(), auth_time: authTime };
    const seen = await door.signIn(browser.tab, claims, more);
    expect(seen.status).toBe(303);
    return browser;
  };

  it('asks for the time of the authentication when it asks for a new one', async () => {
    expect((await door.begin(door.tab(), AGAIN)).get('max_age')).toBe('0');
    expect((await door.begin(door.tab())).get('max_age')).toBeNull();
  });

  long('is recent when the IdP states a new authentication', async () => {
    for (const more of [{}, AGAIN]) expect((await tried(await signIn(secondsAgo(2), more)))[0]).toBe(201);
    expect(await noted()).toBeNull();
    const { session } = (await (await signIn(secondsAgo(2))).ask('POST', '/console/session')).body;
    expect(Date.parse(session.authenticated_at)).toBeLessThanOrEqual(Date.parse(session.signed_in_at));
  });

  it('is not recent when the IdP answers from its old session, and the log has the reason', async () => {
    const [status, words] = await tried(await signIn(secondsAgo(7_200), AGAIN));
    expect([status, words]).toEqual([401, expect.stringMatching(/let you in without asking: .* at \d{4}-/)]);
    expect(await noted()).toMatch(/asked to authenticate the user anew, and answered by an authentication of \d{4}-/);
  });

  long('is not recent when the IdP does not state the time, or not as a time', async () => {
    for (const authTime of [undefined, null, 0, 'now', [secondsAgo(1)]]) {
      const [status, words] = await tried(await signIn(authTime, AGAIN));
      expect([authTime, status, words]).toEqual([authTime, 401, expect.stringMatching(/did not state when/)]);
      expect(await noted()).toMatch(/does not state when the user authenticated/);
    }
  });

  it('is not made recent by a sign-in that asks for nothing', async () => {
    expect((await tried(await signIn(secondsAgo(7_200))))[0]).toBe(401);
    expect(await noted()).toBeNull();
    expect((await tried(await signIn(undefined)))[0]).toBe(401);
  });

  it('counts a time in the future as now', async () => {
    const browser = await signIn(secondsAgo(-3_600));
    const { session } = (await browser.ask('POST', '/console/session')).body;
    expect(Date.parse(session.authenticated_at)).toBeLessThanOrEqual(Date.now());
  });
});

describe('a sign-in by SAML', () => {
  const authn = (ago: number | null) => ({
    authnXml: `<saml:AuthnStatement${ago === null ? '' : ` AuthnInstant="${new Date(secondsAgo(ago) * 1000).toISOString()}"`} SessionIndex="s"><saml:AuthnContext><saml:AuthnContextClassRef>urn:x</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`,
  });

  long.each<[string, number | null, number]>([
    ['is recent by a new AuthnInstant', 2, 201],
    ['is not recent by an old one', 7_200, 401],
    ['is not recent without one', null, 401],
  ])('%s', async (_, ago, status) => {
    const door = await SamlWay.open(service, house, { directory_id: house.directoryId });
    const browser = new ConsoleBrowser(service);
    const { id, relayState, xml } = await door.begin(browser.tab, AGAIN);
    expect(xml).toContain('ForceAuthn="true"');
    const form = door.idp.form(door.parts(id, { nameId: await administrator(), ...authn(ago) }));
    form.set('RelayState', relayState);
    expect((await door.post(browser.tab, form)).status).toBeLessThan(304);
    expect((await tried(browser))[0]).toBe(status);
    const detail = await noted();
    if (status === 201) expect(detail).toBeNull();
    else expect(detail).toMatch(/asked to authenticate the user anew/);
  });
});
