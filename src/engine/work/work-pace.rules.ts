import type { Backoff, TurnOutcome } from '../../base/work/work.js';

/**
 * Returns how long work rests after a turn, in milliseconds.
 *
 * @param failures failures in a row before this turn
 */
export function restOf({ backoff }: { backoff: Backoff }, failures: number, { state, restMs }: TurnOutcome): number {
  if (state !== 'failed') return restMs ?? 0;
  const pause = Math.min(backoff.firstMs * 2 ** Math.min(failures, 20), backoff.mostMs);
  return Math.max(pause, restMs ?? 0);
}
