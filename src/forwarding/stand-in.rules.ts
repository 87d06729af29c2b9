import type { StandInNames } from '../engine/delivery/outcome.js';
import type { Person } from '../tenancy/identity/person.js';
import type { PlatformUser } from './platform-client/platform.types.js';
import { sameEmail } from './adoption.rules.js';

/** Up to this length one lane of a circle stands aside, and the others follow one after the other. */
const SHORT_CIRCLE = 4;

/** Returns whether a lane of a circle stands aside: one of a short circle, and all of a long one. */
export function standsAside(subject: string, circle: readonly string[]): boolean {
  return circle.length > SHORT_CIRCLE || circle.every((other) => subject <= other);
}

/**
 * Returns stand-ins for the names of an account that its user does not have any more; null: it has no such name. No mail
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
 * Returns the stand-in for the name of a leaver's account that another user needs; null: the account is not in the way. The
 * platform receives no other names of an inactive user, so the account may have names that the leaver has no longer.
 *
 * @param needed the user who needs the name
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
