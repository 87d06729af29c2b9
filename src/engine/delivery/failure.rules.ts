import type { DeliveryOptions } from './delivery.options.js';
import { PEOPLE_AWAY, type AwayRules, type ProbeTimes } from './destination.rules.js';
import { backoff } from './retry.rules.js';

/** What the engine does about the failures of a channel. */
export interface FailureRules {
  /** Which failures in a row show that a destination is away. */
  away: AwayRules;
  probe: ProbeTimes;
  /** A probe may use a lane whose own pause is not over. */
  probesEarly: boolean;
  /**
   * Lanes that wait out a pause stand aside: the pauses are long, and such lanes may be many. They are looked for now and
   * then; all other claims pass over them.
   */
  waitsAside: boolean;
  /**
   * Returns how many milliseconds a lane waits after a number of failures in a row; null: its message is given up.
   *
   * @param random in [0, 1); spreads the pauses
   */
  pause(failureCount: number, retryAfterMs: number | null, random: number): number | null;
  /** A `Retry-After` holds the whole destination until then, and not only the message that was answered with it. */
  retryAfterHolds?: boolean;
  /** A destination with nothing but failures for so long is paused; null: never. */
  endsAfterMs: number | null;
}

/** A Retry-After of an hour is for the destination to wait out, if it is away; one person among many continues sooner. */
const LONGEST_OWN_WAIT_MS = 300_000;

/** Returns the pauses of lanes that are tried without end. */
export function steadyPause(times: DeliveryOptions['backoff']): Pick<FailureRules, 'pause'> {
  return {
    pause: (failureCount, retryAfterMs, random) =>
      Math.max(backoff(failureCount, times, random), Math.min(retryAfterMs ?? 0, LONGEST_OWN_WAIT_MS)),
  };
}

/** Returns the rules of a channel that keeps the newest state of each person: it is tried until it is there. */
export function steadyRules({ backoff: times, probe }: DeliveryOptions): FailureRules {
  return {
    away: PEOPLE_AWAY,
    probe,
    probesEarly: true,
    waitsAside: false,
    ...steadyPause(times),
    retryAfterHolds: true,
    endsAfterMs: null,
  };
}
