import type { StandInNames } from '../engine/delivery/outcome.js';
import type { Person } from '../tenancy/identity/person.js';
import { accountRefusal } from '../tenancy/identity/user-change.rules.js';
import type { Bound } from './accounts.js';
import type { PlatformUser } from './platform-client/platform.client.js';

type Adoption =
  | { kind: 'adopt' }
  /** The account belongs to another user, whose own change is on its way and goes first. */
  | { kind: 'wait'; detail: string }
  | { kind: 'refuse'; detail: string };

/**
 * Decides on an account that was found by `external_id`: it belongs to the user, unless another lane works with it.
 * The account of a deleted user is taken over: that is a rehire under the same key. A user who left and still has a
 * record keeps the account, and may come back to it: keys are not unique in each directory (Entra sends
 * `mailNickname`).
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

export function sharesName(person: Person, { email, external_id }: PlatformUser): boolean {
  return sameEmail(email, person.email) || (external_id !== null && external_id === person.external_id);
}

export function sameEmail(a: string | null, b: string | null): boolean {
  return a !== null && b !== null && a.toLowerCase() === b.toLowerCase();
}

/** Up to this length one lane of a circle stands aside, and the others follow one after the other. */
const SHORT_CIRCLE = 4;

/** Returns whether a lane of a circle stands aside: one of a short circle, and all of a long one. */
export function standsAside(subject: string, circle: readonly string[]): boolean {
  return circle.length > SHORT_CIRCLE || circle.every((other) => subject <= other);
}

/**
 * Returns stand-ins for the names of an account that its user no longer has; null when it has no such name. No mail
 * reaches an address of the domain `invalid` (RFC 2606 §2).
 */
export function standInOf(userId: string, person: Person, account: PlatformUser): StandInNames | null {
  const standIn: StandInNames = {};
  if (person.email !== null && !sameEmail(account.email, person.email)) standIn.email = emailOf(userId);
  // A key that the platform does not show is another one if the e-mail is not in the way.
  const { external_id: key } = account;
  const isOther = key === null ? standIn.email === undefined : key !== person.external_id;
  if (person.external_id !== null && isOther) standIn.external_id = keyOf(userId);
  return Object.keys(standIn).length === 0 ? null : standIn;
}

/**
 * Returns the stand-in for a name of a leaver's account that another user needs, or null. The platform receives no
 * other names of an inactive user, so the account may have former names of the leaver.
 */
export function leaverStandInOf(leaverId: string, needed: Person, account: PlatformUser): StandInNames | null {
  if (needed.external_id !== null && account.external_id === needed.external_id)
    return { external_id: keyOf(leaverId) };
  return sameEmail(account.email, needed.email) ? { email: emailOf(leaverId) } : null;
}

function emailOf(userId: string): string {
  return `${userId}@stand-in.invalid`;
}

function keyOf(userId: string): string {
  return `${userId}#stand-in`;
}
