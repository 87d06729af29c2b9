import type { HeldReason, UserChange, ChangeSource } from './person.js';

/** What can lead to a change of a user. The source of the change has the actor and the request. */
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

/** What led to a change of a user. */
export interface Trigger {
  kind: (typeof TRIGGERS)[number];
  /** Of `membership`: the group, with the name at that time. */
  group?: GroupName | undefined;
  /** Of `released`, `discarded` and `hold_ended`: the reason for which the user was held. */
  reason?: HeldReason | undefined;
  /** Of `exchanged`: the users whose former values the user has got. */
  users?: string[] | undefined;
}

/** A group, with the name at that time. */
export interface GroupName {
  id: string;
  name: string;
}

/** Where a role can come from. */
export const ROLE_ORIGINS = ['roles', 'rule', 'role_map', 'set', 'default', 'discard', 'no_seat', 'none'] as const;

/** Where the role of a user comes from. */
export interface RoleOrigin {
  by: (typeof ROLE_ORIGINS)[number];
  /** The value of SCIM `roles`, or of the claim that the role map of the connection names. */
  value?: string;
  /** Of `rule`: the group of the rule. */
  group?: GroupName;
}

/** Why a user has changed. A change of an earlier version has none. */
export interface Cause extends Trigger {
  /** Where the role comes from, if the role has changed. */
  role?: RoleOrigin | undefined;
  /** Why the user is held since. */
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

/** What ends each hold without an admin. */
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

/** Returns a cause with its words; null: the change is older than causes. */
export function causeInWords(cause: Cause | null, { surface }: ChangeSource): CauseInWords | null {
  return cause === null ? null : { ...cause, words: wordsOfCause(cause, surface) };
}

/** Says in a few words why a user has changed. */
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

/** Says in a few words where a role comes from. */
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
