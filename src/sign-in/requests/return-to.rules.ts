/** Where a browser may be sent after a sign-in. */
export interface ReturnRules {
  /** Our own origin, and where to go when nobody says where. */
  origin: string;
  home: string;
  /** Other origins, which the connection allows. */
  allowed: readonly string[];
}

/** Where to go: an absolute address, and the application it belongs to where that is another origin. */
export interface ReturnTarget {
  url: string;
  /** null: our own pages, which have the session's cookie. */
  application: string | null;
}

const MAX = 2_048;

/**
 * Reads a `return_to`: a path of ours, or an address of an allowed origin; null for anything else (OIDC-09). It is
 * resolved as a browser would and compared by origin, and what is answered is absolute: a path alone may begin with
 * two slashes, and then it is another site's.
 */
export function returnTarget(text: string | null, rules: ReturnRules): ReturnTarget | null {
  if (text === null || text === '') return { url: rules.home, application: null };
  // Browsers drop tabs and line breaks, and take a backslash for a slash: nobody means such an address well.
  if (text.length > MAX || /[\s\\\p{Cc}]/u.test(text) || !URL.canParse(text, rules.origin)) return null;
  const url = new URL(text, rules.origin);
  if (url.username !== '' || url.password !== '') return null;
  // Written by somebody who named no site and resolved to one all the same: `//evil.example`.
  const relative = !/^[a-z][a-z0-9+.-]*:/i.test(text);
  const whole = relative ? text.startsWith('/') && url.origin === rules.origin : /^https?:\/\//i.test(text);
  if (!whole) return null;
  if (url.origin === rules.origin) return { url: url.href, application: null };
  if (!rules.allowed.includes(url.origin)) return null;
  return { url: url.href, application: url.origin };
}
