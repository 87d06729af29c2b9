import type { InForce, Person, UserChange } from './person.js';

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

const FIELDS = ['email', 'first_name', 'last_name', 'role', 'external_id'] as const satisfies (keyof Person)[];

/** Compares two effective states. Returns the change, or null if no field of the platform differs. */
export function changeBetween(before: InForce | null, after: InForce, everActive: boolean): UserChange | null {
  const person = personOf(after);
  if (before === null) return { kind: 'created', person, status: after.status, changed: assigned(after) };
  if (after.status === 'deleted') return { kind: 'deleted', person, status: 'deleted', changed: ['status'] };
  const changed: string[] = FIELDS.filter((field) => before[field] !== after[field]);
  if (before.status !== after.status) {
    changed.push('status');
    const kind = after.status === 'inactive' ? 'deactivated' : everActive ? 'reactivated' : 'created';
    return { kind, person, status: after.status, changed };
  }
  return changed.length === 0 ? null : { kind: 'updated', person, status: after.status, changed };
}

/**
 * Returns whether a change is forwarded to the platform. A user without an e-mail (held as `no_email`) is not forwarded,
 * except for a new role of a user who has an account there: the former role must end. An inactive user without an account
 * is not forwarded.
 */
export function mustForward({ status, person, kind, changed }: UserChange, everActive: boolean): boolean {
  if (status !== 'active') return everActive;
  return person.email !== null || (everActive && kind === 'updated' && changed.includes('role'));
}

/** Returns whether a change ends the sessions of the user: the user is inactive, or has another identity or role. */
export function endsSessions(change: UserChange): boolean {
  return change.status !== 'active' || change.changed.includes('role');
}

/** Returns the platform's fields of a user, without the status. */
function personOf(inForce: InForce | Person): Person {
  return {
    email: inForce.email,
    first_name: inForce.first_name,
    last_name: inForce.last_name,
    role: inForce.role,
    external_id: inForce.external_id,
  };
}

function assigned(after: InForce): string[] {
  const fields: string[] = FIELDS.filter((field) => after[field] !== null && after[field] !== '');
  fields.push('status');
  return fields;
}
