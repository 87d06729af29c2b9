import type { Bound } from './accounts.js';
import { accountRefusal } from '../tenancy/identity/user-change.rules.js';
import type { Person } from '../tenancy/identity/person.js';
import type { PlatformUser } from './platform-client/platform.types.js';

/** Whether an existing account may become the user's. */
export type Adoption =
  | { kind: 'adopt' }
  /** It belongs to another user, whose own change is on its way and goes first. */
  | { kind: 'wait'; detail: string }
  | { kind: 'refuse'; detail: string };

/**
 * Decides on an account that was found by `external_id`: it belongs to the user, unless another lane works with it. The
 * account of a deleted user is taken over: that is a rehire under the same key. A user who left and has a record keeps the
 * account, and may come back to it: keys are not unique in each directory (Entra sends `mailNickname`).
 */
export function adoptByExternalId(bound: Bound | null): Adoption {
  if (bound === null) return { kind: 'adopt' };
  if (bound.pending && !bound.parked) return { kind: 'wait', detail: `waits for ${bound.subject}` };
  if (bound.target_state !== 'deleted' || bound.parked) {
    return { kind: 'refuse', detail: `the account is bound to ${bound.subject}` };
  }
  return { kind: 'adopt' };
}

/**
 * Decides on an account that was found by e-mail alone, which may belong to a former holder of the address. It is adopted
 * only if it has no other `external_id`, is bound to no lane, and is active.
 */
export function adoptByEmail(person: Person, account: PlatformUser, bound: Bound | null): Adoption {
  if (bound !== null) {
    if (bound.pending && !bound.parked) return { kind: 'wait', detail: `waits for ${bound.subject}` };
    return { kind: 'refuse', detail: `account ${account.id} is bound to ${bound.subject}` };
  }
  if (!sameEmail(person.email, account.email)) {
    return { kind: 'refuse', detail: `account ${account.id} has another e-mail address` };
  }
  switch (accountRefusal({ status: account.status, externalId: account.external_id }, person.external_id)) {
    case 'another_external_id':
      return { kind: 'refuse', detail: `account ${account.id} has another external_id` };
    case 'account_inactive':
      return {
        kind: 'refuse',
        detail: `account ${account.id} is ${account.status}: a user who left had this address`,
      };
    case null:
      return { kind: 'adopt' };
  }
}

/** Returns whether an account has a name that a user needs: only then can it be in the way. */
export function sharesName(person: Person, { email, external_id }: PlatformUser): boolean {
  return sameEmail(email, person.email) || (external_id !== null && external_id === person.external_id);
}

/** Returns whether two addresses are one mailbox, without regard to case. */
export function sameEmail(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a.toLowerCase() === b.toLowerCase();
}
