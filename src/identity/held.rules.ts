import type { HeldReason, InForce, Person } from './person.js';

/** What a door wrote, in the platform's words, before anybody asked whether it may come into force. */
export interface Written {
  person: Person;
  active: boolean;
}

/** What is in force now for somebody who is known already. */
export interface Current {
  person: Person;
  status: 'active' | 'inactive';
  seat: SeatState;
  held: HeldReason | null;
  /** The person once was in force with an e-mail, so the platform may know them. */
  everActive: boolean;
}

export type SeatState = 'held' | 'none' | 'waiting';

/** What the decision has to know of the world around the person. */
export interface Circumstances {
  /** Somebody else who is active has this e-mail, or this key. */
  emailTaken: boolean;
  externalIdTaken: boolean;
  /** The role of the person as written takes a seat. */
  roleTakesSeat: boolean;
  /** If a seat must be claimed: is there one for this person? */
  seatFree: boolean;
  /** The directory only shows what it would do. */
  preview: boolean;
  /** The writing directory has been taken over by another one. */
  superseded: boolean;
  /** The tenant's owner or a break-glass account: a directory cannot put such a user out. */
  isProtected: boolean;
  /** A reason that an admin has released for this person: it no longer stands in the way. */
  released: HeldReason | null;
}

/** What is in force afterwards, who then holds a seat, and why it is not what was written. */
export interface Decision {
  inForce: InForce & { status: 'active' | 'inactive' };
  seat: SeatState;
  held: HeldReason | null;
}

/**
 * Written × circumstances → in force, and why not (contract §5, *held*). A ladder: the first reason that applies is
 * the answer. A person who is known already stays as they were; one who is new is there, and inactive.
 */
export function decideInForce(written: Written, current: Current | null, around: Circumstances): Decision {
  const stands = (reason: HeldReason): boolean => around.released !== reason;
  if (around.superseded) return onlyShown(written, current, { ...around, superseded: false }, 'superseded');
  if (around.preview) return onlyShown(written, current, { ...around, preview: false }, 'preview');
  // Every way out: `active`, and the loss of the role by whatever gives it.
  const goes = !written.active || written.person.role === null;
  if (goes && around.isProtected && current?.status === 'active' && stands('protected')) {
    return asBefore(written, current, 'protected');
  }
  if (!written.active) {
    return { inForce: { ...written.person, status: 'inactive' }, seat: 'none', held: null };
  }
  if (written.person.role === null) {
    return { inForce: { ...written.person, status: 'inactive' }, seat: 'none', held: 'no_role' };
  }
  if (around.emailTaken) return asBefore(written, current, 'email_taken');
  if (around.externalIdTaken) return asBefore(written, current, 'external_id_taken');
  if (around.roleTakesSeat && current?.seat !== 'held' && !around.seatFree && stands('no_seat')) {
    return { ...asBefore(written, current, 'no_seat'), seat: 'waiting' };
  }
  return {
    inForce: { ...written.person, status: 'active' },
    seat: around.roleTakesSeat ? 'held' : 'none',
    held: written.person.email === null && stands('no_email') ? 'no_email' : null,
  };
}

/** True if coming into force as written would take a seat that the person does not hold yet. */
export function wantsSeat(written: Written, current: Current | null, roleTakesSeat: boolean): boolean {
  return written.active && written.person.role !== null && roleTakesSeat && current?.seat !== 'held';
}

/**
 * What a directory wrote that has no effect now. The user is held only if the effect would be another one.
 *
 * @param free the circumstances without the reason that stands in the way
 */
function onlyShown(written: Written, current: Current | null, free: Circumstances, held: HeldReason): Decision {
  if (current === null) return asBefore(written, current, held);
  const would = decideInForce(written, current, free);
  const isHeld = would.held !== null && would.held !== 'no_email';
  return isHeld || isOther(would, current) ? asBefore(written, current, held) : would;
}

/** Whether a decision changes what is in force. */
export function isOther({ inForce, seat }: Decision, { person, status, seat: before }: Current): boolean {
  const fields = ['email', 'first_name', 'last_name', 'role', 'external_id'] as const;
  return inForce.status !== status || seat !== before || fields.some((field) => inForce[field] !== person[field]);
}

function asBefore(written: Written, current: Current | null, held: HeldReason): Decision {
  if (current === null || (current.status === 'inactive' && current.held !== null && !current.everActive)) {
    // Never was in force: shown as written, so that an admin can tell who it is, and not active. Of a user whom the
    // platform knows it would be a change that is forwarded.
    return { inForce: { ...written.person, status: 'inactive' }, seat: 'none', held };
  }
  return {
    inForce: { ...current.person, status: current.status },
    seat: current.seat === 'waiting' ? 'none' : current.seat,
    held,
  };
}
