import { withStatus, type HeldReason, type InForce, type Person } from './person.js';

/** The requested state: the last accepted write of a channel, in the fields of the platform. */
export interface Written {
  person: Person;
  active: boolean;
}

/** The effective state of an existing user. */
export interface Current {
  person: Person;
  status: 'active' | 'inactive';
  seat: SeatState;
  held: HeldReason | null;
  /** The user was active with an e-mail at some time, so the platform may have an account. */
  everActive: boolean;
}

/** Whether the user has a seat, has none, or waits for one. */
export type SeatState = 'held' | 'none' | 'waiting';

/** The facts beside the requested state on which the decision depends. */
export interface Circumstances {
  /** Another active user has this e-mail, or this `external_id`. */
  emailTaken: boolean;
  externalIdTaken: boolean;
  /** The requested role takes a seat. */
  roleTakesSeat: boolean;
  /** Whether a seat is free, if the user needs one. */
  seatFree: boolean;
  /** The directory is in preview. */
  preview: boolean;
  /** A live directory has taken over the writing directory. */
  superseded: boolean;
  /** The user is the tenant's owner or a break-glass account, which a directory cannot deactivate. */
  isProtected: boolean;
  /** A reason that an admin has released for this user; it is not applied again. */
  released: HeldReason | null;
}

/**
 * The effective state after a write, the seat, and the reason why the effective state differs from the requested one.
 */
export interface Decision {
  inForce: InForce & { status: 'active' | 'inactive' };
  seat: SeatState;
  held: HeldReason | null;
}

/**
 * Decides the effective state from the requested state and the circumstances. The reasons are tried in a fixed order,
 * and the first one that applies holds the user. A held existing user keeps its effective state; a held new user is
 * inactive.
 */
export function decideInForce(written: Written, current: Current | null, around: Circumstances): Decision {
  const stands = (reason: HeldReason): boolean => around.released !== reason;
  if (around.superseded) return onlyShown(written, current, { ...around, superseded: false }, 'superseded');
  if (around.preview) return onlyShown(written, current, { ...around, preview: false }, 'preview');
  // Every way to leave: `active`, and the loss of the role from any source.
  const goes = !written.active || written.person.role === null;
  if (goes && around.isProtected && current?.status === 'active' && stands('protected')) {
    return asBefore(written, current, 'protected');
  }
  if (!written.active) {
    return { inForce: withStatus(written.person, 'inactive'), seat: 'none', held: null };
  }
  if (written.person.role === null) {
    return { inForce: withStatus(written.person, 'inactive'), seat: 'none', held: 'no_role' };
  }
  if (around.emailTaken) return asBefore(written, current, 'email_taken');
  if (around.externalIdTaken) return asBefore(written, current, 'external_id_taken');
  if (around.roleTakesSeat && current?.seat !== 'held' && !around.seatFree && stands('no_seat')) {
    return { ...asBefore(written, current, 'no_seat'), seat: 'waiting' };
  }
  return {
    inForce: withStatus(written.person, 'active'),
    seat: around.roleTakesSeat ? 'held' : 'none',
    held: written.person.email === null && stands('no_email') ? 'no_email' : null,
  };
}

/** Returns whether the requested state would take a seat that the user does not have yet. */
export function wantsSeat(written: Written, current: Current | null, roleTakesSeat: boolean): boolean {
  return written.active && written.person.role !== null && roleTakesSeat && current?.seat !== 'held';
}

/**
 * Decides for a directory whose writes have no effect now. The user is held only if the effect would differ.
 *
 * @param free the circumstances without the reason that has no effect
 */
function onlyShown(written: Written, current: Current | null, free: Circumstances, held: HeldReason): Decision {
  if (current === null) return asBefore(written, current, held);
  const would = decideInForce(written, current, free);
  const isHeld = would.held !== null && would.held !== 'no_email';
  return isHeld || isOther(would, current) ? asBefore(written, current, held) : would;
}

/** Returns whether a decision changes the effective state. */
export function isOther({ inForce, seat }: Decision, { person, status, seat: before }: Current): boolean {
  const fields = ['email', 'first_name', 'last_name', 'role', 'external_id'] as const;
  return inForce.status !== status || seat !== before || fields.some((field) => inForce[field] !== person[field]);
}

function asBefore(written: Written, current: Current | null, held: HeldReason): Decision {
  if (current === null || (current.status === 'inactive' && current.held !== null && !current.everActive)) {
    // The user never was active: it is shown as requested, for admins, and inactive. If the platform has an account of
    // the user, that would be a change to forward.
    return { inForce: withStatus(written.person, 'inactive'), seat: 'none', held };
  }
  return {
    inForce: withStatus(current.person, current.status),
    seat: current.seat === 'waiting' ? 'none' : current.seat,
    held,
  };
}
