import type { HeldReason } from '../../../tenancy/identity/person.js';
import type { RefusedRole } from '../role.rules.js';

const WORDS: Record<HeldReason, string> = {
  superseded: 'Another directory has taken this one over. Writes of the old directory have no effect.',
  preview: 'The directory is in preview. The change comes into force when the directory goes live.',
  protected: 'The user is the owner or a break-glass account. An admin has to release or discard the change.',
  needs_admin:
    'The user has rights of administration that the directory may not give. What a sign-in finds the user by waits for an admin, and so does a link.',
  guard: 'Many users left the directory at once. An admin has to release or discard the change.',
  no_role: 'No role applies to the user. The user comes into force when a rule or the directory gives one.',
  email_taken:
    'Another active user has the e-mail address. The address takes effect when it is free, and all else at once.',
  external_id_taken:
    'Another active user has the external_id. All else takes effect; release gives the userName as external_id.',
  no_seat: 'All seats are taken. The user gets the next free seat.',
  no_email: 'The user has no e-mail address. The user is forwarded when an address arrives.',
};

/** Where the cause is in the IdP, a discard would throw the IdP's write away. */
const NEXT: Record<HeldReason, string> = {
  superseded: 'Assign the user in the directory that has taken over.',
  preview: 'Switch the directory live when the preview is right.',
  protected: 'Release the change if the user is to leave, or discard it.',
  needs_admin:
    'Release the change if the user asked for it, or discard it. A directory with may_grant_console needs no admin for it.',
  guard: 'Release the change if the user is to leave, or discard it.',
  no_role: 'Put the user into a group that a rule names, or set a default role for the directory.',
  email_taken: 'Change the e-mail of one of the two users in its IdP, or remove the account that is not needed.',
  external_id_taken: 'Change the externalId of one of the two users in its IdP, or release the user.',
  no_seat: 'Raise the seat limit, or free a seat.',
  no_email: 'Give the user an e-mail address in the IdP, or map another attribute to the e-mail.',
};

/** Returns the next step for a held user, in one sentence. */
export function nextOfHeld(reason: HeldReason): string {
  return NEXT[reason];
}

export function wordsOfHeld(reason: HeldReason): string {
  return WORDS[reason];
}

const ROLE_WORDS: Record<RefusedRole['reason'], string> = {
  unknown_role: 'The catalogue of roles does not have this role.',
  role_needs_admin:
    'The role has rights of administration, and the directory lacks may_grant_console. A group rule that names the role gives it.',
};

export function wordsOfRefusedRole(reason: RefusedRole['reason']): string {
  return ROLE_WORDS[reason];
}
