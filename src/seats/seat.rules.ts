import type { SeatState } from '../identity/held.rules.js';

/** What a tenant has decided for the moment when no seat is left, for each door that people come through. */
export type SeatPolicy = 'wait' | 'block' | 'allow';
export type Door = 'scim' | 'api' | 'sign-in';

/** The limit of a tenant and how it is kept just now (see `seats.repository`). */
export interface SeatLimit {
  limit: number | null;
  mode: 'unlimited' | 'open' | 'exact';
  policies: Record<Door, SeatPolicy>;
}

/**
 * How a write may come by a seat:
 * `free`: no limit can stop it; `open`: the limit is far, the statement checks that it still is; `exact`: count under
 * the tenant's lock.
 */
export type ClaimMode = 'free' | 'open' | 'exact';

/** Chooses the way to a seat. The named owner gets one even at the limit (contract §6). */
export function claimMode(state: SeatLimit, door: Door, isOwner: boolean): ClaimMode {
  if (state.limit === null || isOwner || state.policies[door] === 'allow') return 'free';
  return state.mode === 'open' ? 'open' : 'exact';
}

/** `update`: the holder stays one, with another role, directory or cost centre. */
export type SeatMove = 'claim' | 'release' | 'update' | 'keep';

/** What the ledger keeps of a holder, since nothing can find it out later (contract §6). */
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
