import { emailKey, type UserDraft } from './user.mapping.js';
import type { UserRow } from './user.row.js';

/**
 * Somebody whom a sign-in has made, under a key that an IdP has claimed, and who is to have another e-mail: the key may be
 * somebody else's, and whoever came first under it is not them.
 */
export function isClaimed(row: UserRow, { email }: UserDraft): boolean {
  if (row.source !== 'sign-in' || row.directory_id !== null) return false;
  return email === null || row.email === null || emailKey(email) !== emailKey(row.email);
}
