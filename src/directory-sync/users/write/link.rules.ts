import { mayAdopt, weightiest, type LinkedBy } from '../../../tenancy/identity/user-change.rules.js';
import { Taken } from '../users.errors.js';
import type { ConflictingUserRow } from '../users.repository.js';
import type { WritingDirectory } from './write-context.js';

/** The user that a directory's draft is linked with, and by what. */
export interface Match {
  user: ConflictingUserRow;
  by: LinkedBy;
}

/**
 * Finds the one user that the draft of a directory names: one that the directory has removed and that is still in force,
 * an unmanaged one, or one of the directory that is taken over.
 *
 * @param leavesOut the draft says `active: false`
 * @returns null: there is none, or several and none of the same name
 * @throws {Taken} when the directory is set to refuse matches
 */
export function matchOf(
  directory: WritingDirectory | null,
  found: ConflictingUserRow[],
  leavesOut: boolean,
): Match | null {
  if (directory === null || directory.superseded) return null;
  // A user whom the directory has removed comes back by its own names. The e-mail may be a newcomer's by now.
  const own = found.filter((h) => h.gone && h.directory_id === directory.id && (h.same_name || h.same_external_id));
  const kept = own.find((h) => h.same_name) ?? own[0];
  if (kept !== undefined) return { user: kept, by: kept.same_name ? 'user_name' : 'external_id' };
  const matches: Match[] = [];
  for (const user of found) {
    if (user.gone || (user.directory_id !== null && user.directory_id !== directory.takesOver)) continue;
    const by = weightiest(
      groundsOf(user).filter(
        (by) => !(by === 'email' && user.leaving) && mayAdopt({ by, inForce: user.status === 'active' }, leavesOut),
      ),
    );
    if (by !== null) matches.push({ user, by });
  }
  const match = matches.find(({ user }) => user.same_name) ?? (matches.length === 1 ? matches[0]! : null);
  if (match !== null && directory.onMatch === 'refuse') throw new Taken('user_name_taken', match.user.id);
  return match;
}

/** What the draft and the user have in common. A substitute `userName` is the e-mail. */
function groundsOf({
  same_name: name,
  same_key: key,
  same_email: email,
  name_written: written,
}: ConflictingUserRow): LinkedBy[] {
  const grounds: LinkedBy[] = [];
  if (name) grounds.push(written ? 'user_name' : 'email');
  if (key) grounds.push('external_id');
  if (email) grounds.push('email');
  return grounds;
}
