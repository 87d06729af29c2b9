import { sharedApp, type TestApp } from '../../../support/app.js';
import { newHouse, type House } from '../../../support/house.js';
import { fresh, madeUser, user } from '../../../support/scim.js';
import { hostileOp, type HostileOp } from '../../../protocols/oidc/support/op.js';
import { OidcWay } from '../../../support/sign-in/connections.js';
import type { Tab } from '../../../support/sign-in/tab.js';

let service: TestApp;
let house: House;
let op: HostileOp;
let door: OidcWay;
beforeAll(async () => {
  service = await sharedApp();
  house = await newHouse(service);
  op = await hostileOp(() => new Date());
  door = await OidcWay.open(service, house, { directory_id: house.directoryId, name: 'Head office' }, op);
});
afterAll(async () => {
  await op.stop();
  await service.close();
});

async function signedIn(sub = fresh('sub'), known = false): Promise<{ tab: Tab; sub: string }> {
  if (!known) await madeUser(house.scim, user(`${fresh()}@e.com`, { externalId: sub }));
  const tab = door.tab();
  expect((await door.signIn(tab, { sub })).status).toBe(303);
  return { tab, sub };
}
const idsOn = async (tab: Tab) => [...(await tab.get('/')).text.matchAll(/name="session_id" value="(ses_[^"]+)"/g)].map(([, id]) => id!); // prettier-ignore
const end = (tab: Tab, id: string, headers: Record<string, string> = { 'sec-fetch-site': 'same-origin' }) =>
  tab.post('/api/auth/sessions/end', [['session_id', id]], headers);

it('the front page shows the user’s sessions, and ends the others one by one', async () => {
  const { tab, sub } = await signedIn();
  const other = (await signedIn(sub, true)).tab;
  const stranger = (await signedIn()).tab;
  const page = await tab.get('/');
  expect(page.text).toContain('Your sessions');
  expect(page.text).toContain('Head office');
  expect(page.text).toContain('(this session)');
  const [id, ...more] = await idsOn(tab);
  expect(more).toEqual([]);
  const seen = await end(tab, id!);
  expect([seen.status, seen.location]).toEqual([303, `${service.app.config.appUrl}/`]);
  expect(await other.who()).toBeNull();
  expect(await tab.who()).not.toBeNull();
  expect(await stranger.who()).not.toBeNull();
  expect(await idsOn(tab)).toEqual([]);
  // What has ended meanwhile is no failure.
  expect((await end(tab, id!)).status).toBe(303);
});

it('a request of another site, of another user or without a session ends nothing', async () => {
  const { tab, sub } = await signedIn();
  const other = (await signedIn(sub, true)).tab;
  const stranger = (await signedIn()).tab;
  const [id] = await idsOn(tab);
  const foreign: Record<string, string>[] = [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }];
  for (const headers of foreign) expect((await end(tab, id!, headers)).status).toBe(403);
  expect((await end(stranger, id!)).status).toBe(303);
  expect((await end(door.tab(), id!)).location).toContain('/api/auth/login');
  expect((await tab.get(`/api/auth/sessions/end?session_id=${id!}`)).status).toBe(405);
  expect(await other.who()).not.toBeNull();
});

it('a name of a browser with markup is shown as text', async () => {
  const { tab, sub } = await signedIn();
  const evil = door.tab();
  const asked = await door.begin(evil);
  op.nonce = asked.get('nonce')!;
  op.tamper.claims = { sub };
  const query = new URLSearchParams({ code: 'c', state: asked.get('state')! });
  const agent = { 'user-agent': '<img src=x onerror=alert(1)> Chrome/1 Linux' };
  expect((await evil.get(`/api/auth/callback/${door.slug}?${query.toString()}`, agent)).status).toBe(303);
  op.tamper.claims = {};
  const { text } = await tab.get('/');
  expect(text).toContain('Chrome on Linux');
  expect(text).not.toContain('<img');
});
