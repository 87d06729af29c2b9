import { hostCookie } from '../../../base/http/cookies.js';

// A SAML answer is a form that another site posts, so the session's cookie does not come with it and an earlier session
// cannot be seen. The new session waits in a cookie of its own for the next request, which goes to our own site.

const PREFIX = '__Host-landing-';
/** The browser follows the redirect at once. */
const LANDING_SECONDS = 60;

/** Returns the token of the session that a sign-in has just begun in this browser; null: there is none. */
export function landingToken(cookies: ReadonlyMap<string, string>, handle: string): string | null {
  return cookies.get(nameOf(handle)) ?? null;
}

/** Returns the `Set-Cookie` line of a waiting session. */
export function landingCookie(handle: string, token: string): string {
  return hostCookie(nameOf(handle), token, 'Lax', LANDING_SECONDS);
}

/** Returns the `Set-Cookie` line that removes it. */
export function noLandingCookie(handle: string): string {
  return hostCookie(nameOf(handle), '', 'Lax', 0);
}

function nameOf(handle: string): `__Host-${string}` {
  return `${PREFIX}${handle.slice(0, 17)}`;
}
