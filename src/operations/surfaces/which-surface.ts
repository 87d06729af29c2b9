/** Who reads an answer: an IdP, an OAuth client, a person in a browser, or a program that calls the API. */
export type Surface = 'scim' | 'oauth' | 'page' | 'api';

/** Addresses of programs: a browser that opens one gets the answer of the API. */
const PROGRAMS = /^\/(?:api(?!\/(?:auth|integrations)(?:\/|$))|v1|oauth|\.well-known|healthz|readyz|metrics)(?:\/|$)/;

/** Chooses by path; a page only where the caller is a browser that asked for one. */
export function whichSurface(path: string, accept: string | undefined): Surface {
  if (path.startsWith('/scim/') || path === '/scim') return 'scim';
  if (path === '/oauth/token') return 'oauth';
  if (!PROGRAMS.test(path) && accept !== undefined && accept.includes('text/html')) return 'page';
  return 'api';
}
