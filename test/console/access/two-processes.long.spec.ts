import { startApp, type TestApp } from '../../support/app.js';
import { startBeside, type Beside } from '../../support/beside.js';
import { consoleByLink, consoleBySignIn, consoleUser, type ConsoleBrowser } from '../../support/console.js';
import { newHouse, type House } from '../../support/house.js';
import { client, eventually, type Client } from '../../support/http.js';
import { patch, scim } from '../../support/scim.js';

// The built service as two processes of the operating system on one database.
let service: TestApp;
let house: House;
const processes: Beside[] = [];
beforeAll(async () => {
  service = await startApp({ ROLE: 'api' });
  house = await newHouse(service);
  for (let i = 0; i < 2; i++) processes.push(await startBeside(service));
});
afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await service.close();
});

const statusAt = async (browser: ConsoleBrowser, url: string): Promise<number> =>
  (await browser.ask('GET', '/me', undefined, {}, url)).status;

interface Act {
  id: string;
  api: Client;
  here: string;
  browser: ConsoleBrowser;
}

it.each<[string, (act: Act) => Promise<{ status: number }>]>([
  ['the user is deactivated', ({ id, here }) => scim(here, house.scimToken).patch(`/Users/${id}`, patch({ op: 'replace', path: 'active', value: false }))], // prettier-ignore
  ['the user loses the role', ({ id, api }) => api.patch(`/users/${id}`, { role: 'User' })],
  ['the role loses the right', ({ api }) => api.patch('/roles/Console%20admin', { console: 'none' })],
  ['an administrator ends all sessions of the user', ({ id, api }) => api.delete(`/users/${id}/sessions`)],
  ['the user ends the session', ({ browser, here }) => browser.ask('DELETE', '/console/session', undefined, {}, here)],
])('ends a session within a second on both processes when %s', async (_, act) => {
  const [here, there] = processes.map(({ url }) => url) as [string, string];
  const api = client(`${here}/api/v1`, house.apiKey);
  await api.patch('/roles/Console%20admin', { console: 'admin' });
  const id = await consoleUser(house, 'admin');
  const browser = await consoleBySignIn(service, house, id);
  await house.api.patch('/tenant', { break_glass: [] });
  const cookie = { cookie: browser.tab.cookies() };
  const status = async (url: string) => (await browser.ask('GET', '/me', undefined, cookie, url)).status;
  expect([await status(here), await status(there)]).toEqual([200, 200]);
  expect((await act({ id, api, here, browser })).status).toBeLessThan(300);
  await eventually(() => status(there), (now) => now === 401, 1_000); // prettier-ignore
  await eventually(() => status(here), (now) => now === 401, 1_000); // prettier-ignore
});

it('enters a tenant on both processes at once', async () => {
  const [here, there] = processes.map(({ url }) => url) as [string, string];
  const browser = await consoleByLink(service, 'operator');
  expect([await statusAt(browser, here), await statusAt(browser, there)]).toEqual([200, 200]);
  await browser.ask('POST', `/tenants/${house.tenantId}/enter`, { reason: 'a test' }, {}, here);
  const users = async (url: string) => (await browser.ask('GET', '/users', undefined, {}, url)).status;
  expect([await users(there), await users(here)]).toEqual([200, 200]);
});
