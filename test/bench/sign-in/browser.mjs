import { Pool } from 'undici';

/**
 * Browsers that sign in at one program, each sign-in in a new one. An address of the program is taken by its path, so
 * that the program may have another name for itself.
 */
export class Browsers {
  constructor(origin, idp, paths) {
    this.site = new Pool(origin, { connections: 16, pipelining: 1 });
    this.idp = new Pool(idp, { connections: 16, pipelining: 1 });
    this.paths = paths;
  }

  async oidc(user) {
    const cookies = new Map();
    const begun = await this.go(cookies, 'GET', this.paths.oidc);
    const back = await this.atIdp(begun, user);
    return this.arrive(cookies, await this.go(cookies, 'GET', local(back.headers.location)));
  }

  async saml(user) {
    const cookies = new Map();
    const begun = await this.go(cookies, 'GET', this.paths.saml);
    const form = new URLSearchParams(await (await this.atIdp(begun, user)).body.json());
    return this.arrive(cookies, await this.go(cookies, 'POST', this.paths.acs, form.toString()));
  }

  async close() {
    await Promise.all([this.site.close(), this.idp.close()]);
  }

  /** Follows redirects of the program itself, and demands a session at the end. */
  async arrive(cookies, location) {
    while (local(location).startsWith('/api/auth/landing/')) location = await this.go(cookies, 'GET', local(location));
    if (![...cookies.keys()].some((name) => /session$/.test(name))) throw new Error(`no session at ${location}`);
    return cookies;
  }

  atIdp(location, user) {
    return this.idp.request({ method: 'GET', path: `${local(location)}&user=${user}` });
  }

  /** Answers the address of a redirect. */
  async go(cookies, method, path, body) {
    const form = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await this.site.request({ method, path, headers: { cookie, accept: 'text/html', ...form }, body });
    const text = await answer.body.text();
    if (answer.statusCode >= 400 || !answer.headers.location) throw new Error(`${answer.statusCode}: ${text}`);
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line);
      if (/Max-Age=0/.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer.headers.location;
  }
}

function local(location) {
  const { pathname, search } = new URL(location);
  return pathname + search;
}
