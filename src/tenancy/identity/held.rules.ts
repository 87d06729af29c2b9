import { withStatus, type HeldReason, type InForce, type Person } from './person.js';

/** The requested state: the last accepted write of a channel, in the fields of the platform. */
export interface Written {
  person: Person;
  active: boolean;
  /** The first given role that takes no seat: an active user has it while the requested role waits for a seat. */
  seatlessRole: string | null;
}

/** The effective state of an existing user. */
export interface Current {
  person: Person;
  status: 'active' | 'inactive';
  seat: SeatState;
  held: HeldReason | null;
  holdsDeparture: boolean;
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
  /** Another active user has the value that the user would keep in place of a taken one. */
  formerTaken: boolean;
  roleTakesSeat: boolean;
  seatFree: boolean;
  preview: boolean;
  superseded: boolean;
  /** The user is the tenant's owner or a break-glass account, which a directory cannot deactivate. */
  isProtected: boolean;
  guardReached: boolean;
  /** The guard of the directory admits no further change of identity or role. */
  changesReached: boolean;
  /** The directory uses other names than those by which sign-ins find the user. */
  renamed: boolean;
  /** The reason that an administrator has released for this user; it is not applied again. */
  released: HeldReason | null;
}

/** The effective state after a write, the seat, and why the effective state differs from the requested one. */
export interface Decision {
  inForce: InForce & { status: 'active' | 'inactive' };
  seat: SeatState;
  held: HeldReason | null;
  /** The guard holds another identity or role of the user, not a departure. */
  heldChange?: boolean;
}

/**
 * Decides the effective state from the requested state and the circumstances. The reasons are tried in a fixed order,
 * and the first one that applies is shown.
 *
 * A reason holds back as little as possible. A role, a seat or a session that the requested state takes away ends,
 * except for `superseded`, `preview`, `protected` and `guard`.
 */
export function decideInForce(written: Written, current: Current | null, around: Circumstances): Decision {
  if (around.superseded) return onlyShown(written, current, { ...around, superseded: false }, 'superseded');
  if (around.preview) return onlyShown(written, current, { ...around, preview: false }, 'preview');
  const decision = decideFreely(written, current, around);
  const goes = current?.status === 'active' && decision.inForce.status === 'inactive';
  if (goes && around.isProtected && around.released !== 'protected') return asBefore(written, current, 'protected');
  // A departure that is already held waits for an administrator, whether or not the guard is reached.
  const isStopped = around.guardReached || current?.holdsDeparture === true;
  if (isStopped && leaves(current, decision) && around.released !== 'guard') return asBefore(written, current, 'guard');
  if (around.changesReached && !leaves(current, decision) && around.released !== 'guard') {
    return { ...asBefore(written, current, 'guard'), heldChange: true };
  }
  return decision;
}

/** Returns whether a decision takes access or seat from a user in force. */
export function leaves(current: Current | null, { inForce, seat }: Decision): boolean {
  if (current?.status !== 'active') return false;
  return inForce.status === 'inactive' || (current.seat === 'held' && seat !== 'held');
}

/** Decides for a directory whose writes take effect and a user who may leave. */
function decideFreely(written: Written, current: Current | null, around: Circumstances): Decision {
  const { person } = written;
  const out = (inForce: Person, held: HeldReason | null): Decision => {
    return { inForce: withStatus(inForce, 'inactive'), seat: 'none', held };
  };
  if (!written.active) return out(person, null);
  if (person.role === null) return out(person, 'no_role');
  const taken = around.emailTaken ? 'email_taken' : around.externalIdTaken ? 'external_id_taken' : null;
  if (taken !== null && !keepsFormer(current, around)) {
    return out(isNew(current) ? person : withFormer(person, current!.person, around), taken);
  }
  const possible = taken === null ? person : withFormer(person, current!.person, around);
  const released = (reason: HeldReason): boolean => around.released === reason;
  if (around.roleTakesSeat && current?.seat !== 'held' && !around.seatFree && !released('no_seat')) {
    return { ...whileWaiting(possible, written.seatlessRole, current), held: taken ?? 'no_seat' };
  }
  const isSilent = possible.email === null && !released('no_email');
  return {
    inForce: withStatus(possible, 'active'),
    seat: around.roleTakesSeat ? 'held' : 'none',
    held: taken ?? (isSilent ? 'no_email' : null),
  };
}

/**
 * Returns whether a user can be active with the former value of a taken e-mail or `external_id`. A new user has none.
 */
export function keepsFormer(current: Current | null, { formerTaken }: Pick<Circumstances, 'formerTaken'>): boolean {
  return !isNew(current) && (current!.status === 'active' || !formerTaken);
}

function isNew(current: Current | null): boolean {
  return current === null || (current.status === 'inactive' && !current.everActive);
}

function withFormer(person: Person, former: Person, { emailTaken, externalIdTaken }: Circumstances): Person {
  return {
    ...person,
    email: emailTaken ? former.email : person.email,
    external_id: externalIdTaken ? former.external_id : person.external_id,
  };
}

/**
 * Returns the state of a user whose role waits for a seat. The former role stays only if the user is still given it.
 */
function whileWaiting(person: Person, seatlessRole: string | null, current: Current | null): Omit<Decision, 'held'> {
  const role = current?.person.role === person.role ? person.role : seatlessRole;
  if (current?.status !== 'active' || role === null) {
    return { inForce: withStatus(person, 'inactive'), seat: 'waiting' };
  }
  return { inForce: withStatus({ ...person, role }, 'active'), seat: 'waiting' };
}

/** Returns whether the requested state would take a seat that the user does not have yet. */
export function wantsSeat(written: Written, current: Current | null, roleTakesSeat: boolean): boolean {
  return written.active && written.person.role !== null && roleTakesSeat && current?.seat !== 'held';
}

/** These reasons are shown before `needs_admin`: they hold a departure, or all writes of a directory. */
export const BEFORE_NEEDS_ADMIN: readonly HeldReason[] = ['superseded', 'preview', 'protected', 'guard'];

/** `free` has the circumstances without `held`. The user is held only if the effect would differ. */
function onlyShown(written: Written, current: Current | null, free: Circumstances, held: HeldReason): Decision {
  if (current === null) return asBefore(written, current, held);
  const would = decideInForce(written, current, free);
  const isHeld = would.held !== null && would.held !== 'no_email';
  const isRenamed = free.renamed && current.status === 'active';
  return isHeld || isRenamed || isOther(would, current) ? asBefore(written, current, held) : would;
}

/** Returns whether a decision changes the effective state. */
export function isOther({ inForce, seat }: Decision, { person, status, seat: before }: Current): boolean {
  const fields = ['email', 'first_name', 'last_name', 'role', 'external_id'] as const;
  return inForce.status !== status || seat !== before || fields.some((field) => inForce[field] !== person[field]);
}

function asBefore(written: Written, current: Current | null, held: HeldReason): Decision {
  if (current === null || (isNew(current) && current.held !== null)) {
    // A user who never was active is shown as requested, for administrators, and inactive. With an account at the
    // platform that would be a change to forward.
    return { inForce: withStatus(written.person, 'inactive'), seat: 'none', held };
  }
  return {
    inForce: withStatus(current.person, current.status),
    seat: current.seat === 'waiting' ? 'none' : current.seat,
    held,
  };
}
