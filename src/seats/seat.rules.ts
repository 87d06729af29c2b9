import type { SeatMode } from './seat-mode.rules.js';
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

/** Chooses the way to a seat. The named owner gets one even at the limit. */
export function claimMode(state: SeatLimit, channel: WriteChannel, isOwner: boolean): ClaimMode {
  if (state.limit === null || isOwner || state.policies[channel] === 'allow') return 'free';
  return state.mode === 'open' ? 'open' : 'exact';
}

/** `update`: the holder stays one, with another role, directory or cost centre. */
export type SeatMove = 'claim' | 'release' | 'update' | 'keep';

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
export interface SeatCircumstances extends HolderFacts {
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
