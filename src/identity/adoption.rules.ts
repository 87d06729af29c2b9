/**
 * What a write and a stored user, or a platform account and a user, have in common. `id`: the write names the stored
 * user itself. `user_name`: a directory once wrote this `userName`; one that stands in for an unmanaged user is its
 * e-mail and counts as `email`.
 */
export type LinkedBy = 'id' | 'external_id' | 'user_name' | 'email';

/** A user of this tenant that has a name in common with a write. */
export interface Known {
  by: LinkedBy;
  /** The user is active and may work on the platform. */
  inForce: boolean;
}

/**
 * Decides whether a write may adopt a known user. An id, an `external_id` and a `userName` of a directory name a person
 * for good. An e-mail address is given to the next person once its owner has left: by e-mail only a user in force is
 * adopted, or a user out of force by a write that leaves the user so.
 *
 * @param leavesOut the write says `active: false`
 */
export function mayAdopt(known: Known, leavesOut: boolean): boolean {
  return known.by !== 'email' || known.inForce || leavesOut;
}

/** An account of the platform, as far as adoption needs it. */
export interface KnownAccount {
  /** Null: the platform does not say. */
  status: string | null;
  externalId: string | null;
}

/** Why an account is not adopted by e-mail. */
export type AccountRefusal = 'account_inactive' | 'another_external_id';

/**
 * Decides whether an account that was found by e-mail may become a user's. The same reason as in {@link mayAdopt}: an
 * inactive account is a leaver's, and an account with another `external_id` is another person's.
 *
 * @param externalId the user's
 * @returns null: it may
 */
export function accountRefusal(account: KnownAccount, externalId: string | null): AccountRefusal | null {
  const { externalId: other } = account;
  if (other !== null && other !== '' && other !== externalId) return 'another_external_id';
  if (account.status !== null && account.status !== 'active') return 'account_inactive';
  return null;
}

/** The grounds in order of weight: the first one is what the history names. */
const WEIGHT: readonly LinkedBy[] = ['id', 'user_name', 'external_id', 'email'];

/** Returns the weightiest of several grounds, or null if there is none. */
export function weightiest(grounds: readonly LinkedBy[]): LinkedBy | null {
  return WEIGHT.find((by) => grounds.includes(by)) ?? null;
}
