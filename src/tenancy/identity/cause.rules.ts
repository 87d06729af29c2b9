import type { HeldReason, UserChange, ChangeSource } from './person.js';

export const TRIGGERS = [
  'written',
  'linked',
  'membership',
  'settings',
  'live',
  'released',
  'discarded',
  'exchanged',
  'hold_ended',
  'undone',
] as const;

/** The cause of a change of a user. */
export interface Trigger {
  kind: (typeof TRIGGERS)[number];
  group?: GroupName | undefined;
  /** Of `released`, `discarded` and `hold_ended`: why the user was held. */
  reason?: HeldReason | undefined;
  /** Of `exchanged`: the users whose former values the user got. */
  users?: string[] | undefined;
}

/** A group, with the name at that time. */
export interface GroupName {
  id: string;
  name: string;
}

export const ROLE_ORIGINS = ['roles', 'rule', 'role_map', 'set', 'default', 'discard', 'no_seat', 'none'] as const;

/** The origin of a user's role. */
export interface RoleOrigin {
  by: (typeof ROLE_ORIGINS)[number];
  /** The value of SCIM `roles`, or of the claim in the role map. */
  value?: string;
  group?: GroupName;
}

/** Why a user has changed. Changes of earlier versions have no cause. */
export interface Cause extends Trigger {
  role?: RoleOrigin | undefined;
  held?: HeldReason | undefined;
}

/** A change with its cause. */
export interface ExplainedChange extends UserChange {
  cause?: Cause;
}

const WRITTEN: Record<ChangeSource['surface'], string> = {
  scim: 'written by the directory',
  api: 'written through the users API',
  'sign-in': 'written at sign-in',
  system: 'written by the service',
};

const ENDED: Record<HeldReason, string> = {
  superseded: 'end of the takeover by another directory',
  preview: 'the directory went live',
  protected: 'the user is no longer the owner or a break-glass account',
  needs_admin: 'the directory may write the user now',
  guard: 'end of the guard',
  no_role: 'a role applies',
  email_taken: 'the e-mail became free',
  external_id_taken: 'the external_id became free',
  no_seat: 'a seat became free',
  no_email: 'an e-mail came',
};

/** A cause with its words. */
export interface CauseInWords extends Cause {
  words: string;
}

/** Returns a cause with its words; null for a change older than causes. */
export function causeInWords(cause: Cause | null, { surface }: ChangeSource): CauseInWords | null {
  return cause === null ? null : { ...cause, words: wordsOfCause(cause, surface) };
}

export function wordsOfCause(cause: Cause, surface: ChangeSource['surface']): string {
  const parts = [wordsOfTrigger(cause, surface)];
  if (cause.role !== undefined) parts.push(wordsOfRoleOrigin(cause.role));
  if (cause.held !== undefined) parts.push(`held as ${cause.held}`);
  return parts.join('; ');
}

function wordsOfTrigger({ kind, group, reason, users = [] }: Trigger, surface: ChangeSource['surface']): string {
  switch (kind) {
    case 'written':
      return WRITTEN[surface];
    case 'linked':
      return 'linked by the directory';
    case 'membership':
      return `membership of ${group === undefined ? 'a group' : `the group ${group.name}`} has changed`;
    case 'settings':
      return 'rules or settings of the directory changed';
    case 'live':
      return 'the directory went live';
    case 'released':
      return `released by an admin, was held as ${reason}`;
    case 'discarded':
      return `discarded by an admin, was held as ${reason}`;
    case 'exchanged':
      return `exchange of values with ${users.join(', ')}`;
    case 'undone':
      return 'brought back by an admin after a mass departure';
    case 'hold_ended':
      return reason === undefined ? 'what held the user has ended' : ENDED[reason];
  }
}

/** Returns the origin of a role in a few words. */
export function wordsOfRoleOrigin({ by, value, group }: RoleOrigin): string {
  switch (by) {
    case 'roles':
      return `role by the SCIM roles value ${value}`;
    case 'rule':
      return `role by the rule for the group ${group?.name}`;
    case 'role_map':
      return `role by the role map value ${value}`;
    case 'set':
      return 'role as set for the user';
    case 'default':
      return 'default role';
    case 'discard':
      return 'role kept since a discard';
    case 'no_seat':
      return 'role until a seat is free';
    case 'none':
      return 'no role applies';
  }
}
