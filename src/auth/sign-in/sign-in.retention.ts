/** Rows of sign-in that end automatically, with the time for which they are still read. */
export const SIGN_IN_LEFTOVERS = [
  // A day longer than they are valid: the answer to a late browser is "over", not "unknown".
  `delete from sign_in_requests where expires_at < now() - interval '1 day'`,
  `delete from owner_sign_in_links where expires_at < now() - interval '1 day'`,
  // A bucket is full again after ten minutes.
  `delete from tries where at < now() - interval '10 minutes'`,
  `delete from session_tokens where expires_at < now() - interval '1 day'`,
] as const;
