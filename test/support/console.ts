import type { TestApp } from './app.js';
import { client, send, type Answer } from './http.js';
import type { House } from './house.js';
import { fresh, madeUser, user } from './scim.js';
import { Tab } from './sign-in/tab.js';

/** What browsers send with the requests of a page of ours. */
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

/** A browser with the console open: its cookies, and requests as pages of the console send them. */
export class ConsoleBrowser {
  constructor(
    private readonly service: TestApp,
    readonly tab = new Tab(service),
  ) {}

  /** Sends a request of a page to the API. */
  async ask(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
    url = this.service.url,
  ): Promise<Answer> {
    const sent = body ?? (/^P/.test(method) ? {} : undefined);
    const own = { ...OWN_PAGE, cookie: this.tab.cookies(), ...headers };
    const answer = await send(method, `${url}/api/v1${path}`, null, sent, own);
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/Max-Age=0/.test(line)) this.tab.jar.delete(name!);
      else this.tab.jar.set(name!, value!);
    }
    return answer;
  }

  /** Opens the console by a link. */
  open(url: string): Promise<Answer> {
    return this.ask('POST', '/console/session', { link: secretOf(url) });
  }
}

/** Returns the secret of a link of the console. */
export function secretOf(url: string): string {
  return new URL(url).hash.replace('#link=', '');
}

/** Makes a link of the console with the operator token; returns its address. */
export async function consoleLink(service: TestApp, role: string, tenantId?: string): Promise<string> {
  const body = { role, reason: 'a test', ...(tenantId === undefined ? {} : { tenant_id: tenantId }) };
  const made = await client(`${service.url}/api/v1`, service.operatorToken).post('/installation/console-links', body);
  if (made.status !== 201) throw new Error(`link: ${made.status} ${made.text}`);
  return made.body.url as string;
}

/** A browser with the console open by a link. */
export async function consoleByLink(service: TestApp, role: string, tenantId?: string): Promise<ConsoleBrowser> {
  const browser = new ConsoleBrowser(service);
  const opened = await browser.open(await consoleLink(service, role, tenantId));
  if (opened.status !== 201) throw new Error(`opened: ${opened.status} ${opened.text}`);
  return browser;
}

/** Makes a user of the directory of a tenant whose role has a right of the console; returns its id. */
export async function consoleUser(house: House, right: 'admin' | 'auditor' | 'none'): Promise<string> {
  const role = `Console ${right}`;
  await house.api.post('/roles', { name: role, takes_seat: false, console: right });
  const id = await madeUser(house.scim, user(`${fresh()}@example.com`));
  await house.api.patch('/tenant', { api_may_write_directory_users: true });
  const given = await house.api.patch(`/users/${id}`, { role });
  if (given.status !== 200) throw new Error(`role: ${given.status} ${given.text}`);
  return id;
}

/** Signs a user in; returns the browser, which has not entered the console yet. */
export async function signedIn(service: TestApp, house: House, userId: string): Promise<ConsoleBrowser> {
  const operator = client(`${service.url}/api/v1`, service.operatorToken);
  await house.api.patch('/tenant', { break_glass: [userId] });
  const link = await operator.post(`/tenants/${house.tenantId}/owner-sign-in-link`, { user_id: userId });
  if (link.status !== 201) throw new Error(`sign-in link: ${link.status} ${link.text}`);
  const browser = new ConsoleBrowser(service);
  const seen = await browser.tab.post('/api/auth/owner-sign-in', [
    ['code', new URL(link.body.url as string).hash.slice(1)],
  ]);
  if (seen.status !== 303) throw new Error(`sign-in: ${seen.status} ${seen.text}`);
  return browser;
}

/** A browser with the console open by the sign-in of a user. */
export async function consoleBySignIn(service: TestApp, house: House, userId: string): Promise<ConsoleBrowser> {
  const browser = await signedIn(service, house, userId);
  const entered = await browser.ask('POST', '/console/session');
  if (entered.status !== 201) throw new Error(`entered: ${entered.status} ${entered.text}`);
  return browser;
}
