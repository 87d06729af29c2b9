import type { Lookup } from '../delivery/call.js';
import type { Person } from '../identity/person.js';
import type { PlatformUser } from '../platform-client/platform.types.js';
import { sameEmail } from './adoption.rules.js';

/** The names that an account gets for a moment, so that another account can have its present ones. */
export type StandIn = NonNullable<Lookup['standIn']>;

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
export function standInOf(userId: string, person: Person, account: PlatformUser): StandIn | null {
  const standIn: StandIn = {};
  if (person.email !== null && !sameEmail(account.email, person.email)) standIn.email = `${userId}@stand-in.invalid`;
  // A key that the platform does not show is another one if the e-mail is not in the way.
  const { external_id: key } = account;
  const isOther = key === null ? standIn.email === undefined : key !== person.external_id;
  if (person.external_id !== null && isOther) standIn.external_id = `${userId}#stand-in`;
  return Object.keys(standIn).length === 0 ? null : standIn;
}
