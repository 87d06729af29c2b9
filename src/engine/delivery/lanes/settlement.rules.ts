import type { FailureRules } from '../retry.rules.js';
import type { LeasedLane, Settlement } from '../lane-state.js';
import type { Outcome } from '../outcome.js';

/** Whether an outcome shows the other side at work (`alive`), in trouble (`failed`), or neither. */
export function showsOf(outcome: Outcome): 'alive' | 'failed' | 'nothing' {
  switch (outcome.kind) {
    case 'delivered':
    case 'refused':
    case 'park':
    case 'wait':
      return 'alive';
    case 'next':
      // A 404 alone may come from an address where nothing is. A lost account was noticed here, and not there.
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
/** After this number of waits the waits grow, up to `LONGEST_TURN_MS`. */
const QUICK_TURNS = 4;
const LONGEST_TURN_MS = 10_000;

/**
 * Returns the event of an outcome.
 *
 * @param random in [0, 1); spreads the pauses
 */
export function settlementOf(
  lane: LeasedLane,
  outcome: Outcome,
  rules: Pick<FailureRules, 'pause'> & Partial<Pick<FailureRules, 'waitsAside'>>,
  random: number,
): Settlement {
  const { call, fresh, failureCount: before } = lane;
  const failureCount = before + 1;
  const base = unchanged(lane);
  switch (outcome.kind) {
    case 'delivered':
      return { ...base, lookup: null, bind: outcome.bind, done: true, confirm: true, through: outcome.through };
    case 'nothing':
      return { ...base, lookup: null, done: true };
    case 'next': {
      // Answers that contradict each other lead in circles: these have to slow down, and to end.
      const pace = outcome.circling
        ? { failureCount, failed: true, ownFault: true, waitMs: rules.pause(failureCount, null, random) }
        : { failureCount: before };
      const { bind, confirm = false, outdated = false, lookup } = outcome;
      return { ...base, ...pace, bind, confirm, outdated, lookup };
    }
    case 'wait': {
      const lookup = outcome.lookup ?? call.lookup;
      return { ...base, failureCount: before, lookup, waitMs: turnMs(lookup?.waited ?? 1) };
    }
    case 'unavailable': {
      // A failure that is not the other side's uses up no try.
      const counted = outcome.notTheirs === true ? before : failureCount;
      const waitMs = rules.pause(Math.max(counted, 1), outcome.retryAfterMs, random);
      if (waitMs === null) {
        const givenUp = { reason: outcome.reason, message: outcome.message ?? null };
        return { ...base, lookup: null, done: true, givenUp, through: outcome.through };
      }
      return {
        ...base,
        keep: !(fresh && neverSent(outcome.reason)),
        failureCount: counted,
        failed: true,
        ownFault: outcome.ownFault,
        waitMs,
        aside: rules.waitsAside === true,
        parkedDetail: outcome.reason,
      };
    }
    case 'stopped':
      // This request had no effect. The outcome of earlier ones is open.
      return { ...base, keep: !fresh };
    case 'refused':
      return { ...base, lookup: null, failed: true, parked: 'refused', parkedDetail: outcome.detail };
    case 'park':
      return { ...base, lookup: null, failed: true, parked: outcome.reason, parkedDetail: outcome.detail };
  }
}

function unchanged({ token, call }: LeasedLane): Settlement {
  return {
    kind: 'settled',
    token,
    call,
    bind: undefined,
    lookup: call.lookup,
    done: false,
    keep: false,
    confirm: false,
    failureCount: 0,
    failed: false,
    ownFault: false,
    waitMs: null,
    through: undefined,
    epoch: call.epoch,
    lastSuccessAt: null,
    ownFailureLimit: Infinity,
  };
}

function turnMs(waited: number): number {
  return Math.min(LONGEST_TURN_MS, TURN_MS * 2 ** Math.min(Math.max(waited - QUICK_TURNS, 0), 10));
}

function neverSent(reason: string): boolean {
  return reason === 'refused' || reason === 'dns';
}
