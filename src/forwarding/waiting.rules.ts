import type { LeasedLane } from '../engine/delivery/lane-state.js';
import type { Bound } from './accounts.js';
import type { Outcome } from '../engine/delivery/outcome.js';

/**
 * How many times a lane waits for another one that waits as well. Two users who swapped their addresses wait for each
 * other, and neither is ever first; about two minutes tell that from a chain.
 */
const MOST_WAITS_IN_CIRCLES = 20;
/** How many times a lane waits for another one that is only slow: nearly ten minutes. */
const MOST_WAITS = 60;

/**
 * Returns the outcome for a lane that needs the account of another one to change first.
 *
 * @param bound the lane that has the account
 * @param asked how many times the account of a leaver was asked to give its name away
 * @returns one more wait; where waiting leads nowhere, a park that names both users
 */
export function waitFor(lane: LeasedLane, bound: Bound, asked?: number): Outcome {
  const { lookup } = lane.call;
  const waited = (lookup?.waited ?? 0) + 1;
  const most = bound.waiting === true ? MOST_WAITS_IN_CIRCLES : MOST_WAITS;
  if (bound.parked || waited > most) return standstill(lane.subject, bound);
  return {
    kind: 'wait',
    detail: `waits for ${bound.subject}`,
    lookup: {
      ...(lookup ?? { why: 'lost' }),
      waited,
      behind: bound.subject,
      ...(asked === undefined ? {} : { asked }),
    },
  };
}

// Ids and no addresses: this is kept with the attempts. Not a refusal of the platform's, so it says nothing about the
// settings: a few users who swap their addresses do not pause the destination.
function standstill(userId: string, bound: Bound): Outcome {
  const why = bound.waiting === true || bound.parked ? ', whose change cannot be sent either: have they swapped?' : '';
  return {
    kind: 'park',
    reason: 'account_belongs_to_someone_else',
    detail:
      `${userId} needs an e-mail address or external_id that the platform still has for ${bound.subject}` +
      `${why || ', whose change is not through yet.'} Retry ${bound.subject} first and ${userId} after that; ` +
      `if both are refused again, give one of them an interim address first.`,
  };
}
