import { useQuery } from '@tanstack/react-query';
import { call, Problem, read } from './client.js';

/** What `GET /me` answers to the session of the console. */
export interface Me {
  tenant: { id: string; name: string } | null;
  session: {
    role: 'admin' | 'auditor' | 'operator';
    user: { id: string; email: string | null; first_name: string; last_name: string } | null;
    by_link: boolean;
    scopes: string[];
    signed_in_at: string;
    expires_at: string;
    entered_until: string | null;
  };
}

/** Who uses the console: from its session, else from the sign-in of this browser. */
async function whoAmI(): Promise<Me> {
  try {
    return await read<Me>('/me');
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 401) throw error;
    return call<Me>('POST', '/console/session', {});
  }
}

/** The key of the answer in the cache. */
export const ME = ['me'] as const;

/** Reads who uses the console. */
export function useMe() {
  return useQuery({ queryKey: ME, queryFn: whoAmI, retry: false, staleTime: 60_000 });
}

/** Returns whether the user of the console may do what a scope admits. */
export function may(me: Me | undefined, scope: string): boolean {
  const scopes = me?.session.scopes ?? [];
  return scopes.includes('admin') || scopes.includes(scope);
}

/** Opens the console with the secret of a one-use link. */
export function openByLink(secret: string): Promise<Me> {
  return call<Me>('POST', '/console/session', { link: secret });
}

/** Ends the session of the console. */
export function leave(): Promise<void> {
  return call<void>('DELETE', '/console/session');
}
