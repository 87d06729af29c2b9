/** A task is given up after this number of failures in a row. With pauses of up to ten minutes that is about three hours. */
export const MOST_FAILURES = 24;
/** How long a task rests after a failure, and at the most after many in a row. */
const FIRST_PAUSE_SECONDS = 10;
const LONGEST_PAUSE_SECONDS = 600;
/** An estimate from less work than this would jump. */
const FEWEST_DONE = 20;

/**
 * Returns what follows from a failure of a batch.
 *
 * @param failures failures in a row, this one included
 * @returns the seconds to rest; null: the task is given up
 */
export function pauseAfter(failures: number): number | null {
  if (failures >= MOST_FAILURES) return null;
  return Math.min(LONGEST_PAUSE_SECONDS, FIRST_PAUSE_SECONDS * 2 ** Math.min(failures - 1, 10));
}

/** The facts from which the end of a task is estimated. Times are milliseconds since 1970. */
export interface Progress {
  state: string;
  done: number;
  total: number | null;
  /** When the first batch began; null: none has. */
  startedAt: number | null;
  now: number;
}

/**
 * Estimates when a task will be done, at the pace that it has had so far.
 *
 * @returns milliseconds since 1970; null: the task is over, the total is not known, or too little is done
 */
export function estimatedEnd({ state, done, total, startedAt, now }: Progress): number | null {
  if (state !== 'waiting' && state !== 'running') return null;
  if (total === null || startedAt === null || done < FEWEST_DONE || now <= startedAt) return null;
  return Math.round(now + (Math.max(0, total - done) * (now - startedAt)) / done);
}
