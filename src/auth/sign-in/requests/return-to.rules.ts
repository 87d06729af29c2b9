import { parsedUrl } from '../../../base/url.js';

/** Where a browser may be sent after a sign-in. */
export interface ReturnRules {
  /** Our own origin, and the default target. */
  origin: string;
  home: string;
  /** Other origins that the connection permits. */
  allowed: readonly string[];
}

/** The target: an absolute address, and the application where it is of another origin. */
export interface ReturnTarget {
  url: string;
  /** null: our own pages, which have the session's cookie. */
  application: string | null;
}

const MAX = 2_048;

/**
 * Reads `return_to`: a path of ours, or an address of a permitted origin. It is resolved as a browser would and
 * compared by origin. The result is absolute, because a path that begins with two slashes is another site.
 *
 * @returns null for any other text
 */
export function returnTarget(text: string | null, rules: ReturnRules): ReturnTarget | null {
  if (text === null || text === '') return { url: rules.home, application: null };
  // Browsers drop tabs and line breaks and read a backslash as a slash, so such an address is an attack.
  if (text.length > MAX || /[\s\\\p{Cc}]/u.test(text)) return null;
  const url = parsedUrl(text, rules.origin);
  if (url === null || url.username !== '' || url.password !== '') return null;
  // A text without a scheme that resolves to another site: `//evil.example`.
  const relative = !/^[a-z][a-z0-9+.-]*:/i.test(text);
  const whole = relative ? text.startsWith('/') && url.origin === rules.origin : /^https?:\/\//i.test(text);
  if (!whole) return null;
  if (url.origin === rules.origin) return { url: url.href, application: null };
  if (!rules.allowed.includes(url.origin)) return null;
  return { url: url.href, application: url.origin };
}
