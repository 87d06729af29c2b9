import { refusalOfUrl } from '../base/http/public-address.js';
import { MAX_URL, urlOf } from '../base/http/url.js';

/** Returns why this service must not call an address; null: it may. `Outbound` checks again at use. */
export function calledAddressProblem(text: string, allowPrivate: boolean): string | null {
  const problem = browserAddressProblem(text, allowPrivate);
  return problem === null && !allowPrivate ? refusalOfUrl(text) : problem;
}

/**
 * Returns why browsers must not be sent to an address; null: they may. It may be inside a company's network. It has to
 * be https: a tenant's setting must never be a script (`javascript:`) on our page.
 */
export function browserAddressProblem(text: string, allowHttp: boolean): string | null {
  if (text.length > MAX_URL) return `must have at most ${MAX_URL} characters`;
  const url = urlOf(text);
  if (url === null) return 'must be a complete address such as https://idp.example.com/sso';
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return 'must begin with https://';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or password';
  return text.includes('#') ? 'must not have a fragment' : null;
}

/** Returns why a text cannot be an issuer; null: it can (OIDC Discovery §3: no query, no fragment). */
export function issuerProblem(text: string, allowPrivate: boolean): string | null {
  return calledAddressProblem(text, allowPrivate) ?? (/[?#]/.test(text) ? 'must not have a query or fragment' : null);
}

/** Returns why a text cannot be a return origin; null: it can. Origins are compared letter by letter. */
export function originProblem(text: string, allowHttp: boolean): string | null {
  const url = urlOf(text);
  if (url === null || url.origin !== text) return 'must hold origins without a path, such as https://app.example.com';
  return url.protocol === 'https:' || (allowHttp && url.protocol === 'http:') ? null : 'must hold https origins';
}
