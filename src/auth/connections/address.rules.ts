import { refusalOfUrl } from '../../base/http/destination-networks.js';
import { MAX_URL, urlOf } from '../../base/url.js';

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
  const problem = calledAddressProblem(text, allowPrivate) ?? templateProblem(text);
  return problem ?? (/[?#]/.test(text) ? 'must not have a query or fragment' : null);
}

/** The parts of Entra's addresses that mean many tenants. Their metadata names a template as the issuer. */
const MANY_TENANTS =
  /^https:\/\/(?:login\.(?:partner\.)?microsoftonline\.(?:com|us|cn)|login\.windows\.net|sts\.windows\.net)\/(?:common|organizations|consumers)(?:\/|$)/i;

/** Returns why an address cannot name one IdP: it is a template, or Entra's address for many tenants; null: it can. */
export function templateProblem(text: string): string | null {
  if (!MANY_TENANTS.test(text) && !/[{}]|%7b|%7d/i.test(text)) return null;
  return `is for many tenants: put the id of your tenant in the place of ${placeOf(text)} (Entra: https://login.microsoftonline.com/<tenant id>/v2.0, from Overview, Directory (tenant) ID)`;
}

/** Returns the part of an address that means any tenant. */
function placeOf(text: string): string {
  const name = /\{\w{1,40}\}/.exec(text)?.[0];
  return name ?? text.split('/').find((part) => /^(?:common|organizations|consumers)$/i.test(part)) ?? 'the template';
}

/** Returns why a text cannot be a return origin; null: it can. Origins are compared letter by letter. */
export function originProblem(text: string, allowHttp: boolean): string | null {
  const url = urlOf(text);
  if (url === null || url.origin !== text) return 'must hold origins without a path, such as https://app.example.com';
  return url.protocol === 'https:' || (allowHttp && url.protocol === 'http:') ? null : 'must hold https origins';
}
