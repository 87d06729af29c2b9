import { BEFORE_NEEDS_ADMIN, type Decision } from '../../../tenancy/identity/held.rules.js';
import { userNameKey } from '../../../protocols/scim/text.js';
import { emailKeyOf, type UserDraft } from '../user.mapping.js';
import type { KnownAs, UserRow } from '../user.row.js';

type Names = Pick<UserDraft, 'userName' | 'userNameKey' | 'externalId'>;

/** Returns the present or last identity and role in force. */
export function knownAs(row: UserRow): KnownAs {
  return (
    row.known_as ?? {
      user_name: row.user_name,
      // The key of a name that was given away differs.
      user_name_key: userNameKey(row.user_name),
      external_id: row.external_id,
      email: row.email,
      key: row.person_external_id,
      role: row.role,
    }
  );
}

export function signInName(row: UserRow): string {
  return row.status === 'active' ? knownAs(row).user_name : row.user_name;
}

/**
 * Returns the former identity of a user after a write. It stays the last one in force, where the written one is held or
 * the user is out of force. Otherwise a directory could change the identity of users while they are out of force.
 *
 * @returns null when the user has the written identity
 */
export function knownAfter(row: UserRow, draft: Names, { inForce, held }: Decision): KnownAs | null {
  const isHeld = held !== null && BEFORE_NEEDS_ADMIN.includes(held);
  if (inForce.status === 'active' && !isHeld) return null;
  if (row.status !== 'active' && !row.ever_active) return null;
  const known = knownAs(row);
  const isOther =
    known.user_name_key !== draft.userNameKey ||
    known.external_id !== draft.externalId ||
    emailKeyOf(known.email) !== emailKeyOf(inForce.email) ||
    known.key !== inForce.external_id ||
    known.role !== inForce.role;
  return isOther ? known : null;
}

/** Returns whether a resource has other names than those in force. */
export function isNamedAnew(row: UserRow, { userNameKey: key, externalId }: Names): boolean {
  const known = knownAs(row);
  return key !== known.user_name_key || isNewId(externalId, known.external_id);
}

/** Returns whether a write gives a user another identity than the present or last one in force. */
export function isOtherIdentity(
  row: UserRow,
  draft: Names,
  { email, external_id: key }: { email: string | null; external_id: string | null },
): boolean {
  const known = knownAs(row);
  return emailKeyOf(email) !== emailKeyOf(known.email) || key !== known.key || isNamedAnew(row, draft);
}

/** An omitted `externalId` finds no other user (Okta's PUT). */
function isNewId(is: string | null, was: string | null): boolean {
  return is !== null && is !== was;
}
