import type { InForce, Person, UserChange } from './person.js';

/** The events about users, one for each kind of change. */
export type UserEventName = `user.${UserChange['kind']}`;

/** Returns null when only the resource changed. `linked`: the write made an existing user a directory's own. */
export function userEventOf(
  { kind, changed }: Pick<UserChange, 'kind' | 'changed'>,
  linked = false,
): UserEventName | null {
  if (kind === 'updated' && changed.length === 0 && !linked) return null;
  return `user.${kind}`;
}

const FIELDS = ['email', 'first_name', 'last_name', 'role', 'external_id'] as const satisfies (keyof Person)[];

/** Compares two effective states. Returns null when no field of the platform differs. */
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
 * Returns whether a change is forwarded to the platform. A user without an e-mail (held as `no_email`) is not
 * forwarded, except for a new role of a user with an account: the former role must end. An inactive user without an
 * account is not forwarded.
 */
export function mustForward({ status, person, kind, changed }: UserChange, everActive: boolean): boolean {
  if (status !== 'active') return everActive;
  return person.email !== null || (everActive && kind === 'updated' && changed.includes('role'));
}

/** Returns whether a change ends the sessions of the user: the user is inactive, or has another role. */
export function endsSessions(change: UserChange): boolean {
  return change.status !== 'active' || change.changed.includes('role');
}

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

/**
 * The attribute by which a write, or a platform account, matches a stored user. `id`: the write names the user.
 * `user_name`: a directory wrote this `userName` before. A `userName` that is the e-mail of an unmanaged user counts as
 * `email`.
 */
export type LinkedBy = 'id' | 'external_id' | 'user_name' | 'email';

export interface Known {
  by: LinkedBy;
  /** The user is active in its effective state. */
  inForce: boolean;
}

/**
 * Returns whether a write may be linked with a known user. An id, an `external_id` and a `userName` of a directory
 * identify a user permanently. An e-mail address can pass to another employee after its owner has left. So by e-mail
 * only an active user is linked, or an inactive one by a write that keeps the user inactive.
 *
 * @param leavesOut the write has `active: false`
 */
export function mayAdopt(known: Known, leavesOut: boolean): boolean {
  return known.by !== 'email' || known.inForce || leavesOut;
}

interface KnownAccount {
  /** Null when the platform does not return it. */
  status: string | null;
  externalId: string | null;
}

/** Why an account is not adopted by e-mail. */
export type AccountRefusal = 'account_inactive' | 'another_external_id';

/**
 * Returns why an account that was found by e-mail may not be adopted for a user, or null. As in {@link mayAdopt}, an
 * inactive account belongs to a leaver. An account with another `external_id` belongs to another user.
 *
 * @param externalId the `external_id` of the user
 */
export function accountRefusal(account: KnownAccount, externalId: string | null): AccountRefusal | null {
  const { externalId: other } = account;
  if (other !== null && other !== '' && other !== externalId) return 'another_external_id';
  if (account.status !== null && account.status !== 'active') return 'account_inactive';
  return null;
}

/** By weight: the history names the first one. */
const WEIGHT: readonly LinkedBy[] = ['id', 'user_name', 'external_id', 'email'];

/** Returns the attribute of the greatest weight, or null for none. */
export function weightiest(grounds: readonly LinkedBy[]): LinkedBy | null {
  return WEIGHT.find((by) => grounds.includes(by)) ?? null;
}
