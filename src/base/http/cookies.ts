/**
 * The cookies of a request. Of a name that comes twice the first one counts; a cookie whose name begins with `__Host-`
 * can only have been set by this very host (RFC 6265bis §4.1.3).
 */
export function readCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const part of (header ?? '').split(';', 200)) {
    const equals = part.indexOf('=');
    if (equals < 1) continue;
    const name = part.slice(0, equals).trim();
    if (!cookies.has(name)) cookies.set(name, part.slice(equals + 1).trim());
  }
  return cookies;
}

/**
 * A `Set-Cookie` line for a cookie of this host alone, that no script can read. `sameSite: 'None'` is for what has to
 * come back with a form that another site posts (SAML's answer). `maxAgeSeconds: 0` takes the cookie away.
 */
export function hostCookie(
  name: `__Host-${string}`,
  value: string,
  sameSite: 'Lax' | 'None',
  maxAgeSeconds: number | null,
): string {
  const age = maxAgeSeconds === null ? '' : `; Max-Age=${maxAgeSeconds}`;
  return `${name}=${value}; Path=/; Secure; HttpOnly; SameSite=${sameSite}${age}`;
}
