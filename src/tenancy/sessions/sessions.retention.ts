/** Rows of sessions that end automatically. */
export const SESSION_LEFTOVERS = [
  `delete from used_messages where until < now()`,
  `delete from idp_logouts where until < now()`,
  // The ID token is kept for the logout at the IdP, and then for nothing.
  `update sessions set id_token_sealed = null
   where id_token_sealed is not null and coalesce(ended_at, expires_at) < now() - interval '1 hour'`,
] as const;

/** Deletes sessions that ended more than `$1` days ago. */
export const OLD_SESSIONS = `delete from sessions where coalesce(ended_at, expires_at) < now() - make_interval(days => $1)`;

/** Returns the statement that ends sessions because of their users; `which` is SQL that is true of such a session `s`. */
export function endSessionsOfChanged(which: string): string {
  return `update sessions s set ended_at = now(), end_reason = 'person_changed' where s.ended_at is null and ${which}`;
}
