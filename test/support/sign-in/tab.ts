import type { TestApp } from '../app.js';

/** What came back, with the cookies noted already. */
export interface Seen {
  status: number;
  location: string | null;
  text: string;
  headers: Headers;
}

/**
 * A browser as far as sign-ins need one: a jar of cookies, no automatic redirects. What the service says of its own
 * address (its settings) leads to where it listens.
 */
export class Tab {
  readonly jar = new Map<string, string>();

  constructor(
    private readonly service: TestApp,
    jar?: Map<string, string>,
  ) {
    if (jar) this.jar = jar;
  }

  /** Another tab of the same browser. */
  twin(): Tab {
    return new Tab(this.service, this.jar);
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Seen> {
    return this.send('GET', path, undefined, headers);
  }

  /** Sends a form, as a page does. */
  post(path: string, form: Iterable<[string, string]> = [], headers: Record<string, string> = {}): Promise<Seen> {
    return this.send('POST', path, new URLSearchParams([...form]).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    });
  }

  /** Who is signed in here, or null. */
  async who(service: TestApp = this.service): Promise<{ user: { id: string; email: string } } | null> {
    const answer = await fetch(`${service.url}/api/auth/session`, { headers: { cookie: this.cookies() } });
    if (answer.status === 401) return null;
    if (answer.status !== 200) throw new Error(`session: ${answer.status}`);
    return (await answer.json()) as { user: { id: string; email: string } };
  }

  cookies(crossSite = false): string {
    const sent = [...this.jar].filter(([name]) => !crossSite || !/^__Host-(session$|landing-)/.test(name));
    return sent.map(([name, value]) => `${name}=${value}`).join('; ');
  }

  async send(method: string, path: string, body?: string, headers: Record<string, string> = {}): Promise<Seen> {
    const own = new URL(this.service.app.config.appUrl).origin;
    const url = path.startsWith(own) ? this.service.url + path.slice(own.length) : path;
    // The form that an IdP posts comes from another site: the session's cookies (Lax) do not come along.
    const isFormOfTheIdp = method === 'POST' && /\/api\/auth\/(callback|slo)\//.test(url);
    const answer = await fetch(url.startsWith('http') ? url : this.service.url + url, {
      method,
      redirect: 'manual',
      headers: { accept: 'text/html', cookie: this.cookies(isFormOfTheIdp), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      if (/Max-Age=0/.test(line)) this.jar.delete(name!);
      else this.jar.set(name!, value!);
    }
    return {
      status: answer.status,
      location: answer.headers.get('location'),
      text: await answer.text(),
      headers: answer.headers,
    };
  }
}
