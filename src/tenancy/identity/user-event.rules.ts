import type { UserChange } from './person.js';

/** The events about users, one for each kind of change. */
export type UserEventName = `user.${UserChange['kind']}`;

/**
 * Returns the event of a change of a user, or null: the resource changed and the person did not.
 *
 * @param linked the write made an existing user a directory's own
 */
export function userEventOf(
  { kind, changed }: Pick<UserChange, 'kind' | 'changed'>,
  linked = false,
): UserEventName | null {
  if (kind === 'updated' && changed.length === 0 && !linked) return null;
  return `user.${kind}`;
}
