import { hostCookie } from '../../base/http/cookies.js';

const NAME = '__Host-session';

/** The session's token in a request's cookies, or null. */
export function sessionToken(cookies: ReadonlyMap<string, string>): string | null {
  return cookies.get(NAME) ?? null;
}

/**
 * The `Set-Cookie` line of a session. `Lax`: links from elsewhere find people signed in, forms from elsewhere do not.
 * It ends with the browser or with the session, whichever is first; how long that is is the server's to say.
 */
export function sessionCookie(token: string): string {
  return hostCookie(NAME, token, 'Lax', null);
}

/** The line that takes it away. */
export function noSessionCookie(): string {
  return hostCookie(NAME, '', 'Lax', 0);
}
