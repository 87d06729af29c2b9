import { hostCookie } from '../../../base/http/cookies.js';

const NAME = '__Host-session';

/** Returns the session's token from the cookies; null: there is none. */
export function sessionToken(cookies: ReadonlyMap<string, string>): string | null {
  return cookies.get(NAME) ?? null;
}

/**
 * Returns the `Set-Cookie` line of a session. `Lax`: links from other sites carry the cookie, forms do not. It ends
 * with the browser or with the session, which the server decides.
 */
export function sessionCookie(token: string): string {
  return hostCookie(NAME, token, 'Lax', null);
}

/** Returns the `Set-Cookie` line that removes it. */
export function noSessionCookie(): string {
  return hostCookie(NAME, '', 'Lax', 0);
}
