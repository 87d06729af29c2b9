import type { SeatState } from '../tenancy/identity/held.rules.js';

/** Without a free seat the user waits, the write is refused, or the user is admitted over the limit. */
export type SeatPolicy = 'wait' | 'block' | 'allow';

/** The channel of a write; each has its own policy. */
export type WriteChannel = 'scim' | 'api' | 'sign-in';

export interface SeatLimit {
  limit: number | null;
  mode: SeatMode;
  policies: Record<WriteChannel, SeatPolicy>;
}

/**
 * `free`: no limit can stop the claim. `open`: the limit is far, and the statement checks that. `exact`: count under
 * the tenant's lock.
 */
export type ClaimMode = 'free' | 'open' | 'exact';

export function claimMode(state: SeatLimit, channel: WriteChannel, isOwner: boolean): ClaimMode {
  if (exemptionOf(state, channel, isOwner) !== null) return 'free';
  return state.mode === 'open' ? 'open' : 'exact';
}

export interface SeatAsk {
  channel: WriteChannel;
  isOwner: boolean;
  userId: string | null;
  /** Waits where the channel's policy would `block`. */
  mayWait?: boolean;
  /** No other user has waited longer. */
  inTurn?: boolean | undefined;
}

type Exemption = 'no_limit' | 'owner' | 'allowed_over_limit';

export type SeatDecision = Exemption | 'in_turn' | 'seat_free' | 'must_wait' | 'blocked';

/**
 * Decides on a request for a seat. The first guard that applies answers.
 *
 * @param free seats without a holder; 0 without a limit
 * @param waiting users who have waited longer; a free seat for one of them is not free for a new user
 */
export function decideSeat(
  state: SeatLimit,
  { channel, isOwner, inTurn = false, mayWait = false }: SeatAsk,
  { free, waiting }: { free: number; waiting: number },
): SeatDecision {
  const exemption = exemptionOf(state, channel, isOwner);
  if (exemption !== null) return exemption;
  if (free > 0 && inTurn) return 'in_turn';
  if (free > waiting) return 'seat_free';
  if (state.policies[channel] === 'block' && !mayWait) return 'blocked';
  return 'must_wait';
}

function exemptionOf({ limit, policies }: SeatLimit, channel: WriteChannel, isOwner: boolean): Exemption | null {
  if (limit === null) return 'no_limit';
  if (isOwner) return 'owner';
  if (policies[channel] === 'allow') return 'allowed_over_limit';
  return null;
}

/** `update`: a holder got another role, directory or cost centre. */
type SeatMove = 'claim' | 'release' | 'update' | 'keep';

/** Facts of a holder that the ledger stores, because they cannot be found later. */
export interface HolderFacts {
  readonly role: string | null;
  readonly directoryId: string | null;
  readonly costCenter: string | null;
}

/** `known` has the facts of the user in the ledger, or null; `now` those after the write. */
export function seatMove(
  before: SeatState,
  after: SeatState,
  known: HolderFacts | null = null,
  now: HolderFacts | null = null,
): SeatMove {
  if (before !== 'held' && after === 'held') return 'claim';
  if (before === 'held' && after !== 'held') return 'release';
  return after === 'held' && known !== null && now !== null && isOther(known, now) ? 'update' : 'keep';
}

function isOther(a: HolderFacts, b: HolderFacts): boolean {
  return a.role !== b.role || a.directoryId !== b.directoryId || a.costCenter !== b.costCenter;
}

/** One line of the ledger, about the user of the statement. */
export interface SeatLine extends HolderFacts {
  move: Exclude<SeatMove, 'keep'> | 'opening';
  reason: string;
}

interface SeatCircumstances extends HolderFacts {
  reason: string;
  known?: HolderFacts | null;
  /** The user held the seat before this service: the line is an opening balance. */
  opening?: boolean;
}

/** Returns the line of the ledger for a user whose seat changed its state, or null. */
export function seatLine(before: SeatState, after: SeatState, about: SeatCircumstances): SeatLine | null {
  const { role, directoryId, costCenter, reason, known, opening } = about;
  const move = seatMove(before, after, known, about);
  if (move === 'keep') return null;
  return { role, directoryId, costCenter, reason, move: move === 'claim' && opening === true ? 'opening' : move };
}

/**
 * How a tenant's limit is kept. `unlimited`: there is none. `open`: the limit is far, and a claim takes no exclusive
 * lock. `exact`: each claim counts under the tenant's lock.
 */
export type SeatMode = 'unlimited' | 'open' | 'exact';

export type SeatModeEvent =
  /** An administrator sets a limit, or removes it (null). */
  | { kind: 'limit_changed'; limit: number | null }
  /** A claim counts under the lock: other claims must count, too, until the limit is known to be far. */
  | { kind: 'counted' }
  /** `free` seats were counted under the lock; at most `inFlight` claims can be under way without it. */
  | { kind: 'measured'; free: number; inFlight: number };

/** The limit is far when this multiple of the claims in flight fits. */
const FAR = 4;

/** Returns the mode after an event. Every change of the stored mode comes from this function. */
export function nextSeatMode(mode: SeatMode, event: SeatModeEvent): SeatMode {
  switch (event.kind) {
    case 'limit_changed':
      return event.limit === null ? 'unlimited' : 'exact';
    case 'counted':
      return mode === 'open' ? 'exact' : mode;
    case 'measured':
      return mode === 'exact' && event.free >= FAR * event.inFlight ? 'open' : mode;
  }
}
