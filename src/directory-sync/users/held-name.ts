import { randomBytes } from 'node:crypto';

/**
 * The key of a `userName` that is free for SCIM while its user is kept, as SQL for the table `u`. No client can write such
 * a name (U+0001). It begins with the name, so that the name finds the user again.
 */
export const ASIDE_KEY = `chr(1) || u.user_name_key || chr(1) || u.id`;

/** Returns the bounds, both exclusive, between which the keys of kept users of this name lie. */
export function asideKeys(userNameKey: string): [string, string] {
  return [`\u0001${userNameKey}\u0001`, `\u0001${userNameKey}\u0002`];
}

/** Whether a key is one of a name that was put aside. */
export function isAside(key: string): boolean {
  return key.startsWith('\u0001');
}

/**
 * Makes a `userName` for a user whose own one another user has: the name with a random suffix. The result is no e-mail
 * address of a mailbox, so that no IdP takes it for one.
 */
export function standIn(name: string): string {
  return `${name}#${randomBytes(4).toString('hex')}`;
}
