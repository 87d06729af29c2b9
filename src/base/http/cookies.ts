import { trimOf } from '../characters.js';
import { parsedUrl } from '../url.js';
import { CrossSiteRequest, HttpsNeeded } from './http.errors.js';
import type { BridgeRequest } from './request.js';

/** RFC 6265 §4.1.1: a cookie's name is a token (RFC 9110 §5.6.2). */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

/**
 * Returns the cookies of a request; of a repeated name the first one. Only this host can set a cookie whose name begins with
 * `__Host-` (RFC 6265bis §4.1.3). That holds for the name in the browser: a name with a character before it, such as a blank of
 * another alphabet, is another name, and any site of the domain can set it.
 */
export function readCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const part of (header ?? '').split(';', 200)) {
    const equals = part.indexOf('=');
    if (equals < 1) continue;
    const name = unpadded(part.slice(0, equals));
    if (NAME.test(name) && !cookies.has(name)) cookies.set(name, unpadded(part.slice(equals + 1)));
  }
  return cookies;
}

/** Removes the blanks between cookies, and no others (RFC 6265 §5.4). */
function unpadded(text: string): string {
  return trimOf(text, ' ');
}

/**
 * Returns a `Set-Cookie` line for a cookie of this host alone, which scripts cannot read. `sameSite: 'None'` is for cookies
 * that must come with a form from another site (SAML responses). `maxAgeSeconds: 0` deletes the cookie.
 */
export function hostCookie(
  name: `__Host-${string}`,
  value: string,
  sameSite: 'Strict' | 'Lax' | 'None',
  maxAgeSeconds: number | null,
): string {
  const age = maxAgeSeconds === null ? '' : `; Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=${sameSite}${age}`;
}

type Asked = Pick<BridgeRequest, 'headers' | 'protocol'>;

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Refuses a request that no page of this origin has sent. A cookie of administration is worth nothing elsewhere: also a request
 * without `Sec-Fetch-Site` is refused, which every current browser sends to https and to this machine.
 *
 * @throws {HttpsNeeded} when a browser cannot send the header, since the page is plain http of another machine
 * @throws {CrossSiteRequest} for any other request
 */
export function demandSameOrigin(req: Asked): void {
  const site = req.headers['sec-fetch-site'];
  if (site === 'same-origin') return;
  throw site === undefined && isPlainHttp(req) ? new HttpsNeeded() : new CrossSiteRequest();
}

function isPlainHttp({ headers, protocol }: Asked): boolean {
  const url = parsedUrl(headers.origin ?? `${protocol}://${headers.host ?? ''}`);
  return url?.protocol === 'http:' && !LOOPBACK.test(url.hostname);
}
