import { text } from '../../text/text.js';

/** What the search found. */
export interface Hit {
  kind: keyof typeof text.search.kinds;
  id: string;
  title: string;
  detail: string | null;
  /** Of a group, its directory; of a request or change, its user. */
  parent_id: string | null;
  /** Of a user; else missing. */
  state?: 'active' | 'inactive' | 'held';
}

/** The pages of the console, which the search finds by their names. */
export const PAGE_HITS: readonly Hit[] = (
  [
    ['/', text.nav.overview],
    ['/users', text.nav.users],
    ['/held', text.nav.held],
    ['/directories', text.nav.directories],
    ['/seats', text.nav.seats],
    ['/tasks', text.nav.tasks],
  ] as const
).map(([id, title]) => ({ kind: 'page', id, title, detail: null, parent_id: null }));

/** Returns the page that shows what was found. */
export function pageOf({ kind, id, parent_id }: Hit): string {
  switch (kind) {
    case 'page':
      return id;
    case 'user':
      return `/users/${id}`;
    case 'directory':
      return `/directories/${id}`;
    case 'group':
      return `/directories/${parent_id}/groups`;
    case 'task':
      return '/tasks';
    case 'scim_token':
    case 'client':
      return `/directories/${parent_id}`;
    case 'request':
    case 'change':
    case 'sign_in':
    case 'session':
      return parent_id === null ? '/' : `/users/${parent_id}`;
    default:
      // The console has no page of these records yet: the hit itself says what the id is.
      return '/';
  }
}
