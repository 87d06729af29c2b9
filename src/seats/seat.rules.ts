import type { SeatState } from '../tenancy/identity/held.rules.js';

/** What happens when no seat is left: the user waits, the write is refused, or the user is let in over the limit. */
export type SeatPolicy = 'wait' | 'block' | 'allow';

/** The way by which a write of a user arrives; each has a policy of its own. */
export type WriteChannel = 'scim' | 'api' | 'sign-in';

/** The limit of a tenant and how it is kept just now (see `seats.repository`). */
export interface SeatLimit {
  limit: number | null;
  mode: SeatMode;
  policies: Record<WriteChannel, SeatPolicy>;
}

/**
 * How a write may come by a seat:
 * `free`: no limit can stop it; `open`: the limit is far, the statement checks that it still is; `exact`: count under
 * the tenant's lock.
 */
export type ClaimMode = 'free' | 'open' | 'exact';

/** Chooses the way to a seat. */
export function claimMode(state: SeatLimit, channel: WriteChannel, isOwner: boolean): ClaimMode {
  if (exemptionOf(state, channel, isOwner) !== null) return 'free';
  return state.mode === 'open' ? 'open' : 'exact';
}

/** A request for a seat under the tenant's lock. */
export interface SeatAsk {
  channel: WriteChannel;
  isOwner: boolean;
  /** null: a new user. */
  userId: string | null;
  /** Waits where the channel's policy would `block`. */
  mayWait?: boolean;
  /** It is this user's turn: no other one has waited longer. */
  inTurn?: boolean | undefined;
}

/** Why no limit counts for a user: there is none, the user is the named owner, or the policy of the channel is `allow`. */
type Exemption = 'no_limit' | 'owner' | 'allowed_over_limit';

/** The answer to a request for a seat; `must_wait` and `blocked` give none. */
export type SeatDecision = Exemption | 'in_turn' | 'seat_free' | 'must_wait' | 'blocked';

/**
 * Decides on a request for a seat. The first guard that applies answers.
 *
 * @param free seats that no user holds; without a limit 0
 * @param waiting users who have waited longer. A free seat that one of them waits for is not free for a new user.
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

/** `update`: the holder stays one, with another role, directory or cost centre. */
type SeatMove = 'claim' | 'release' | 'update' | 'keep';

/** What the ledger keeps of a holder, since it cannot be found out later. */
export interface HolderFacts {
  readonly role: string | null;
  readonly directoryId: string | null;
  readonly costCenter: string | null;
}

/**
 * What the ledger has to say about a user whose seat went from one state to another.
 *
 * @param known what the ledger says of the user already; null: nothing
 * @param now the same after the write
 */
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

/** One line for the ledger, about the user of the statement. */
export interface SeatLine extends HolderFacts {
  move: Exclude<SeatMove, 'keep'> | 'opening';
  reason: string;
}

/** What a ledger line says beside the move itself: the role, directory and cost centre of that moment. */
interface SeatCircumstances extends HolderFacts {
  reason: string;
  /** What the ledger says of the user before the write; left out: nothing. */
  known?: HolderFacts | null;
  /** The user has held the seat before this service knew of it: the line is an opening balance. */
  opening?: boolean;
}

/** Returns the line of the ledger for a user whose seat went from one state to another; null: there is none to write. */
export function seatLine(before: SeatState, after: SeatState, about: SeatCircumstances): SeatLine | null {
  const { role, directoryId, costCenter, reason, known, opening } = about;
  const move = seatMove(before, after, known, about);
  if (move === 'keep') return null;
  return { role, directoryId, costCenter, reason, move: move === 'claim' && opening === true ? 'opening' : move };
}

/**
 * How a tenant's limit is kept. `unlimited`: there is none. `open`: the limit is far, and a claim takes no lock of its own.
 * `exact`: each claim counts under the tenant's lock.
 */
export type SeatMode = 'unlimited' | 'open' | 'exact';

/** What can change the mode. */
export type SeatModeEvent =
  /** An admin sets a limit, or removes it (null). */
  | { kind: 'limit_changed'; limit: number | null }
  /** A claim counts under the lock: the others must count, too, until the limit is known to be far. */
  | { kind: 'counted' }
  /** `free` seats were counted under the lock; at most `inFlight` claims can be on their way without it. */
  | { kind: 'measured'; free: number; inFlight: number };

/** The limit is far when this many times the claims that can be on their way still fit. */
const FAR = 4;

/** Returns the mode after an event. Every change of the stored mode is a result of this function. */
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
