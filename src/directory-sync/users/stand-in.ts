import { randomBytes } from 'node:crypto';

/**
 * Makes a `userName` for a user whose own one another user has: the name with a random suffix. The result is no e-mail
 * address of a mailbox, so that no IdP takes it for one.
 */
export function standIn(name: string): string {
  return `${name}#${randomBytes(4).toString('hex')}`;
}
