import type { LeasedLane } from '../delivery/lane-state.js';
import type { Bound } from '../delivery/lanes/accounts.js';
import type { Outcome } from '../delivery/outcome.js';

/**
 * So often somebody waits for another one who waits as well. Two people who swapped their addresses wait for each
 * other, and neither will ever be first; some two minutes tell that from a mere chain.
 */
export const MOST_WAITS_IN_CIRCLES = 20;
/** So often somebody waits for another one who only is slow: nearly ten minutes. */
export const MOST_WAITS = 60;

/**
 * What it comes to that the account of another person here has to change first. In: the lane, with the waits that it
 * counts so far; whose account it is. Out: one more wait, or, where that would lead nowhere, a park that says who
 * stands in whose way.
 */
export function waitFor(lane: LeasedLane, bound: Bound): Outcome {
  const { lookup } = lane.call;
  const waited = (lookup?.waited ?? 0) + 1;
  const most = bound.waiting === true ? MOST_WAITS_IN_CIRCLES : MOST_WAITS;
  if (bound.parked || waited > most) return standstill(lane.subject, bound);
  return {
    kind: 'wait',
    detail: `waits for ${bound.subject}`,
    lookup: { ...(lookup ?? { why: 'lost' }), waited },
  };
}

// Ids and no addresses: this is kept with the attempts. Not a refusal of the platform's, so it says nothing about the
// settings, and a few people who swap their addresses do not pause everybody else.
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
