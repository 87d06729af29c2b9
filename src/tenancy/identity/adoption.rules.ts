/**
 * The attribute by which a write, or a platform account, matches a stored user. `id`: the write names the user itself.
 * `user_name`: a directory wrote this `userName` before. A `userName` that is the e-mail of an unmanaged user counts as
 * `email`.
 */
export type LinkedBy = 'id' | 'external_id' | 'user_name' | 'email';

/** A user of the tenant that matches a write. */
export interface Known {
  by: LinkedBy;
  /** The user is active in its effective state. */
  inForce: boolean;
}

/**
 * Decides whether a write may be linked with a known user. An id, an `external_id` and a `userName` of a directory
 * identify a user permanently. An e-mail address can be given to another employee after its owner has left. So by e-mail
 * only an active user is linked, or an inactive one by a write that keeps the user inactive.
 *
 * @param leavesOut the write says `active: false`
 */
export function mayAdopt(known: Known, leavesOut: boolean): boolean {
  return known.by !== 'email' || known.inForce || leavesOut;
}

/** The facts about a platform account that adoption needs. */
export interface KnownAccount {
  /** Null: the platform does not return it. */
  status: string | null;
  externalId: string | null;
}

/** Why an account is not adopted by e-mail. */
export type AccountRefusal = 'account_inactive' | 'another_external_id';

/**
 * Decides whether an account that was found by e-mail may be adopted for a user. As in {@link mayAdopt}, an inactive
 * account belongs to a leaver. An account with another `external_id` belongs to another user.
 *
 * @param externalId the `external_id` of the user
 * @returns the reason against it; null: the account may be adopted
 */
export function accountRefusal(account: KnownAccount, externalId: string | null): AccountRefusal | null {
  const { externalId: other } = account;
  if (other !== null && other !== '' && other !== externalId) return 'another_external_id';
  if (account.status !== null && account.status !== 'active') return 'account_inactive';
  return null;
}

/** The attributes by weight: the history names the first one. */
const WEIGHT: readonly LinkedBy[] = ['id', 'user_name', 'external_id', 'email'];

/** Returns the attribute of the greatest weight, or null for none. */
export function weightiest(grounds: readonly LinkedBy[]): LinkedBy | null {
  return WEIGHT.find((by) => grounds.includes(by)) ?? null;
}
