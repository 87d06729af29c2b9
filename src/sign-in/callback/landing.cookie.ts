import { hostCookie } from '../../base/http/cookies.js';

// SAML's answer is a form that another site posts: the session's cookie does not come with it, so whoever was signed in
// before cannot be seen there. What the answer has begun therefore waits in a cookie of its own for the next request,
// which is for a page of ours and comes with everything (ACC-08).

const PREFIX = '__Host-landing-';
/** A browser follows at once. */
const LANDING_SECONDS = 60;

/** The token of the session that a sign-in has just begun in this browser, or null. */
export function landingToken(cookies: ReadonlyMap<string, string>, handle: string): string | null {
  return cookies.get(nameOf(handle)) ?? null;
}

/** The `Set-Cookie` line with which a session waits for its browser. */
export function landingCookie(handle: string, token: string): string {
  return hostCookie(nameOf(handle), token, 'Lax', LANDING_SECONDS);
}

/** The line that takes it away. */
export function noLandingCookie(handle: string): string {
  return hostCookie(nameOf(handle), '', 'Lax', 0);
}

function nameOf(handle: string): `__Host-${string}` {
  return `${PREFIX}${handle.slice(0, 17)}`;
}
