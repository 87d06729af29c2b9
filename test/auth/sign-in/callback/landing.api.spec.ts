import { sharedApp, type TestApp } from '../../../support/app.js';
import { newHouse, type House } from '../../../support/house.js';
import { long } from '../../../support/rounds.js';
import { fresh, madeUser, patch, user } from '../../../support/scim.js';
import { SamlWay } from '../../../support/sign-in/connections.js';
import { pkce } from '../../../support/sign-in/pkce.js';
import type { Seen, Tab } from '../../../support/sign-in/tab.js';

// SAML's answer is another site's form, with which the session's cookie does not come: the session is taken up on a page
// of ours, which sees what the browser had before.
let service: TestApp;
let house: House;
let door: SamlWay;
let ada: string;
beforeAll(async () => {
  service = await sharedApp();
  [house, door, ada] = await newDoor();
});
afterAll(() => service.close());

async function newDoor(more: object = {}): Promise<[House, SamlWay, string]> {
  const one = await newHouse(service);
  const opened = await SamlWay.open(service, one, { directory_id: one.directoryId, ...more });
  return [one, opened, await madeUser(one.scim, user(`${fresh()}@e.com`, { externalId: 'ada' }))];
}

/** As far as the ACS: the session has begun, and the browser has not followed the redirect yet. */
async function answered(tab: Tab, to: SamlWay = door, more: Record<string, string> = {}): Promise<Seen> {
  const { id, relayState } = await to.begin(tab, more);
  const form = to.idp.form(to.parts(id, { nameId: 'ada' }));
  form.set('RelayState', relayState);
  return to.postOnly(tab, form);
}

const unsolicited = (to: SamlWay): Map<string, string> => to.idp.form(to.parts(null, { nameId: 'ada' }));
const withSession = (token: string): Tab => {
  const tab = door.tab();
  tab.jar.set('__Host-session', token);
  return tab;
};

long('the answer gives no session; our page after it gives one, once, and leads to the target', async () => {
  const tab = door.tab();
  const seen = await answered(tab, door, { return_to: '/deep?x=1' });
  const base = service.app.config.appUrl;
  expect([seen.status, seen.location!.split('?')[0]]).toEqual([303, `${base}/api/auth/landing/${door.slug}`]);
  const lines = seen.headers.getSetCookie();
  expect(lines).toEqual([
    expect.stringMatching(/^__Host-landing-\S+=tbn_\S+; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=60$/),
  ]);
  expect(await tab.who()).toBeNull();
  const landed = await tab.get(seen.location!);
  expect([landed.status, landed.location]).toEqual([303, `${base}/deep?x=1`]);
  expect(landed.headers.get('referrer-policy')).toBe('no-referrer');
  expect((await tab.who())?.user.id).toBe(ada);
  expect([...tab.jar.keys()]).toEqual(['__Host-session']);
  // Back, and the same page again: a signed-in user is led on.
  const again = await tab.get(seen.location!);
  expect([again.status, again.location]).toEqual([303, `${base}/`]);
  expect((await tab.who())?.user.id).toBe(ada);
});

it('the address of the page gives no session in another browser or for another connection', async () => {
  const tab = door.tab();
  const seen = await answered(tab);
  const thief = door.tab();
  const page = await thief.get(seen.location!);
  expect([page.status, page.headers.getSetCookie()]).toEqual([400, []]);
  expect(page.text).toContain('Sign in again');
  const twin = await SamlWay.open(service, house, {}, door.idp);
  const crossed = await tab.get(seen.location!.replace(door.slug, twin.slug));
  expect([crossed.status, crossed.headers.getSetCookie()]).toEqual([400, []]);
  expect((await tab.get('/api/auth/landing/no-such-slug?request=x')).status).toBe(404);
  expect((await tab.get(seen.location!)).status).toBe(303);
  expect((await tab.who())?.user.id).toBe(ada);
});

long('a user deactivated between the answer and the page has no session', async () => {
  const [one, own, id] = await newDoor();
  const tab = own.tab();
  const seen = await answered(tab, own);
  const off = patch({ op: 'replace', path: 'active', value: false });
  expect((await one.scim.patch(`/Users/${id}`, off)).status).toBe(200);
  expect((await tab.get(seen.location!)).status).toBe(400);
  expect(await tab.who()).toBeNull();
});

long('the former session of the browser ends: of this tenant, of another one, and where the IdP began', async () => {
  const [, open] = await newDoor({ allow_idp_initiated: true });
  const tab = door.tab();
  const ways = [
    async () => door.signIn(tab, { nameId: 'ada' }),
    async () => open.post(tab, unsolicited(open)),
    async () => open.post(tab, unsolicited(open)),
    async () => door.signIn(tab, { nameId: 'ada' }),
  ];
  let before: string | undefined;
  for (const way of ways) {
    expect((await way()).status).toBe(303);
    expect(await tab.who()).not.toBeNull();
    if (before !== undefined) expect(await withSession(before).who()).toBeNull();
    before = tab.jar.get('__Host-session');
  }
  // The refused one ends nothing.
  expect((await door.signIn(tab, { nameId: 'unknown' })).status).toBe(403);
  expect(tab.jar.get('__Host-session')).toBe(before);
  expect(await tab.who()).not.toBeNull();
});

it('leads to the RelayState of an IdP that began the sign-in, under the rule of return_to', async () => {
  const [, open] = await newDoor({ allow_idp_initiated: true, return_origins: ['https://jobs.example.org'] });
  const { appUrl: base } = service.app.config;
  for (const [relayState, target] of [
    ['/deep?x=1', `${base}/deep?x=1`],
    [`${base}/deep`, `${base}/deep`],
    ['https://jobs.example.org/start', 'https://jobs.example.org/start'],
    ['https://evil.example/', `${base}/`],
    ['//evil.example', `${base}/`],
    ['an opaque text', `${base}/`],
  ] as const) {
    const form = unsolicited(open).set('RelayState', relayState);
    expect([relayState, (await open.post(open.tab(), form)).location]).toEqual([relayState, target]);
  }
});

long('an application gets its code there', async () => {
  const [, own] = await newDoor({ return_origins: ['https://jobs.example.org'] });
  const tab = own.tab();
  const seen = await answered(tab, own, { return_to: 'https://jobs.example.org/x?y=1', ...pkce().query });
  expect(seen.location).not.toContain('code=');
  const landed = await tab.get(seen.location!);
  expect(landed.location).toMatch(/^https:\/\/jobs\.example\.org\/x\?y=1&code=tbc_/);
});
