/** Who reads an answer: an IdP, a person in a browser, or a program that calls the API. */
export type Surface = 'scim' | 'page' | 'api';

const PAGES = /^\/(?:console|docs|sandbox|api\/auth|api\/integrations)(?:\/|$)|^\/$/;

/** Chooses by path; a page only where the caller is a browser that asked for one. */
export function whichSurface(path: string, accept: string | undefined): Surface {
  if (path.startsWith('/scim/') || path === '/scim') return 'scim';
  if (PAGES.test(path) && accept !== undefined && accept.includes('text/html')) return 'page';
  return 'api';
}
