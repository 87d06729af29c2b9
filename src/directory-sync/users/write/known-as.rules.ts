import { BEFORE_NEEDS_ADMIN, type Decision } from '../../../tenancy/identity/held.rules.js';
import { userNameKey } from '../../../protocols/scim/text.js';
import { emailKey, type UserDraft } from '../user.mapping.js';
import type { KnownAs, UserRow } from '../user.row.js';

/** The written names of a user, without the rest of the draft. */
type Names = Pick<UserDraft, 'userName' | 'userNameKey' | 'externalId'>;

/** Returns the identity and the role under which a user is in force, or was in force last. */
export function knownAs(row: UserRow): KnownAs {
  return (
    row.known_as ?? {
      user_name: row.user_name,
      // The key of a name that was given away is another one.
      user_name_key: userNameKey(row.user_name),
      external_id: row.external_id,
      email: row.email,
      key: row.person_external_id,
      role: row.role,
    }
  );
}

/** Returns the `userName` by which a sign-in finds a user. */
export function signInName(row: UserRow): string {
  return row.status === 'active' ? knownAs(row).user_name : row.user_name;
}

/**
 * Returns what a write leaves of the former identity of a user: that of the last time in force, where the written one is held
 * or the user is out of force. A directory would else give users another identity while they are out of force.
 *
 * @returns null when the user is known as written
 */
export function knownAfter(row: UserRow, draft: Names, { inForce, held }: Decision): KnownAs | null {
  const isHeld = held !== null && BEFORE_NEEDS_ADMIN.includes(held);
  if (inForce.status === 'active' && !isHeld) return null;
  if (row.status !== 'active' && !row.ever_active) return null;
  const known = knownAs(row);
  const isOther =
    known.user_name_key !== draft.userNameKey ||
    known.external_id !== draft.externalId ||
    keyOf(known.email) !== keyOf(inForce.email) ||
    known.key !== inForce.external_id ||
    known.role !== inForce.role;
  return isOther ? known : null;
}

/** Returns whether a resource names a user otherwise than by the names that are in force. */
export function isNamedAnew(row: UserRow, { userNameKey: key, externalId }: Names): boolean {
  const known = knownAs(row);
  return key !== known.user_name_key || isNewId(externalId, known.external_id);
}

/** Returns whether a write gives a user another identity than the one that is in force, or was in force last. */
export function isOtherIdentity(
  row: UserRow,
  draft: Names,
  { email, external_id: key }: { email: string | null; external_id: string | null },
): boolean {
  const known = knownAs(row);
  return keyOf(email) !== keyOf(known.email) || key !== known.key || isNamedAnew(row, draft);
}

/** An `externalId` that is only left out finds no other user (Okta's PUT). */
function isNewId(is: string | null, was: string | null): boolean {
  return is !== null && is !== was;
}

const keyOf = (email: string | null): string | null => (email === null ? null : emailKey(email));
