import { emailKey, type UserDraft } from '../user.mapping.js';
import type { UserRow } from '../user.row.js';

/**
 * Returns whether a write gives another e-mail to a user that a sign-in made under a key that an IdP claimed. The key may
 * belong to another user, so what the sign-in has bound is not proven.
 */
export function isClaimed(row: UserRow, { email }: UserDraft): boolean {
  if (row.source !== 'sign-in' || row.directory_id !== null) return false;
  return email === null || row.email === null || emailKey(email) !== emailKey(row.email);
}
