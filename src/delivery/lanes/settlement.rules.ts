import type { LeasedLane } from '../call.js';
import type { DeliveryOptions } from '../delivery.options.js';
import type { Outcome } from '../outcome.js';
import { backoff } from '../retry.rules.js';
import type { Settlement } from '../settle.sql.js';

/** Whether an outcome shows the other side at work (`alive`), in trouble (`failed`), or says nothing about it. */
export function showsOf(outcome: Outcome): 'alive' | 'failed' | 'nothing' {
  switch (outcome.kind) {
    case 'delivered':
    case 'refused':
    case 'park':
    case 'wait':
      return 'alive';
    case 'next':
      // A 404 alone may come from an address where nothing is; that an account is lost was learned here, and not there.
      return outcome.lookup?.why === 'gone' || outcome.lookup?.why === 'lost' ? 'nothing' : 'alive';
    case 'unavailable':
      return 'failed';
    case 'nothing':
    case 'stopped':
      return 'nothing';
  }
}

/** How long a lane waits for another one that has to go first: mostly a moment. */
const TURN_MS = 500;
/** After so many waits it takes longer than a moment, and they grow, up to this. */
const QUICK_TURNS = 4;
const LONGEST_TURN_MS = 10_000;
/** A Retry-After of an hour is for the destination to wait out, if it is away; one person among many goes on sooner. */
const LONGEST_OWN_WAIT_MS = 300_000;

/**
 * What an outcome means for its lane. In: the lane as it was leased, the outcome, a random number in [0, 1).
 */
export function settlementOf(
  lane: LeasedLane,
  outcome: Outcome,
  options: Pick<DeliveryOptions, 'backoff'>,
  random: number,
): Settlement {
  const base: Settlement = {
    lane,
    done: false,
    keep: false,
    confirm: false,
    lookup: lane.call.lookup,
    tries: 0,
    failed: false,
    charge: false,
    waitMs: null,
  };
  const tries = lane.tries + 1;
  const pause = (): number => backoff(tries, options.backoff, random);
  switch (outcome.kind) {
    case 'delivered':
      return { ...base, ...boundBy(outcome), done: true, confirm: true, lookup: null };
    case 'nothing':
      return { ...base, done: true, lookup: null };
    case 'next': {
      // A platform that contradicts itself leads in circles: they have to slow down, and to end.
      const pace = outcome.circling ? { tries, failed: true, charge: true, waitMs: pause() } : { tries: lane.tries };
      return { ...base, ...boundBy(outcome), ...pace, confirm: outcome.confirm ?? false, lookup: outcome.lookup };
    }
    case 'wait': {
      const lookup = outcome.lookup ?? lane.call.lookup;
      return { ...base, tries: lane.tries, lookup, waitMs: turnMs(lookup?.waited ?? 1) };
    }
    case 'unavailable':
      return {
        ...base,
        keep: !(lane.fresh && neverSent(outcome.reason)),
        tries,
        failed: true,
        charge: outcome.charge,
        waitMs: Math.max(pause(), Math.min(outcome.retryAfterMs ?? 0, LONGEST_OWN_WAIT_MS)),
        parkedDetail: outcome.reason,
      };
    case 'stopped':
      // This time it surely had no effect; of the times before nobody knows.
      return { ...base, keep: !lane.fresh };
    case 'refused':
      return { ...base, lookup: null, failed: true, parked: 'refused', parkedDetail: outcome.detail };
    case 'park':
      return { ...base, lookup: null, failed: true, parked: outcome.reason, parkedDetail: outcome.detail };
  }
}

function turnMs(waited: number): number {
  return Math.min(LONGEST_TURN_MS, TURN_MS * 2 ** Math.min(Math.max(waited - QUICK_TURNS, 0), 10));
}

function neverSent(reason: string): boolean {
  return reason === 'refused' || reason === 'dns';
}

/** A lane that was leased and not begun: as if it had never been taken. */
export function handBack(lane: LeasedLane): Settlement {
  return {
    lane,
    done: false,
    keep: !lane.fresh,
    confirm: false,
    lookup: lane.call.lookup,
    tries: lane.tries,
    failed: false,
    charge: false,
    waitMs: null,
  };
}

function boundBy(outcome: { bind?: string | null; adopted?: string }): Pick<Settlement, 'bind' | 'adopted'> {
  return {
    ...(outcome.bind === undefined ? {} : { bind: outcome.bind }),
    ...(outcome.adopted === undefined ? {} : { adopted: outcome.adopted }),
  };
}
