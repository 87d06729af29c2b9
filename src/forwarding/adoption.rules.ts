import type { Bound } from '../delivery/lanes/accounts.js';
import { accountRefusal } from '../identity/adoption.rules.js';
import type { Person } from '../identity/person.js';
import type { PlatformUser } from '../platform-client/platform.types.js';

/** Whether an account that is there already may become this person's. */
export type Adoption =
  | { kind: 'adopt' }
  /** It is another person's here, whose own change is on its way: let that one go first. */
  | { kind: 'wait'; detail: string }
  | { kind: 'refuse'; detail: string };

/**
 * An account that was found by `external_id` is the person's own, unless somebody else here is working with it.
 * Of a leaver who is done it is taken over: that is a rehire under the same key.
 */
export function adoptByExternalId(bound: Bound | null): Adoption {
  if (bound === null) return { kind: 'adopt' };
  if (bound.pending && !bound.parked) return { kind: 'wait', detail: `waits for ${bound.subject}` };
  if (bound.target_state === 'active' || bound.parked) {
    return { kind: 'refuse', detail: `the account is bound to ${bound.subject}` };
  }
  return { kind: 'adopt' };
}

/**
 * An account that was found by e-mail alone may be anybody's who once had that address. It is adopted only if it has
 * no other `external_id`, is bound to nobody here, and is not of somebody who left.
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
        detail: `account ${account.id} is ${account.status}: somebody who left had this address`,
      };
    case null:
      return { kind: 'adopt' };
  }
}

/** Whether an account has a name that a person needs: only then can it be in their way. */
export function sharesName(person: Person, { email, external_id }: PlatformUser): boolean {
  return sameEmail(email, person.email) || (external_id !== null && external_id === person.external_id);
}

/** Whether two addresses are one mailbox for our purposes: without regard to case. */
export function sameEmail(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a.toLowerCase() === b.toLowerCase();
}
