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

export type SeatMove = 'claim' | 'release' | 'keep';

/** What the ledger has to say about a person whose seat went from one state to another. */
export function seatMove(before: SeatState, after: SeatState): SeatMove {
  if (before !== 'held' && after === 'held') return 'claim';
  if (before === 'held' && after !== 'held') return 'release';
  return 'keep';
}
