const SET = process.env['TEST_ROUNDS'] ?? '0.1';
const SHARE = SET === 'all' ? 1 : Number(SET);
/** Which of the shares: CI takes others from time to time, so that all cases have their turn. */
const FIRST = Number(process.env['TEST_CASES'] ?? 0);

/**
 * Returns how many rounds of a long test run: all of them in `npm run test:long`, the share `TEST_ROUNDS` where it is set, else
 * a tenth; and at least `least`.
 */
export function rounds(all: number, least = 1): number {
  return Math.min(all, Math.max(least, Math.round(all * SHARE)));
}

/** Returns the cases of a long test that run, of the same share as {@link rounds}, and at least one. */
export function someOf<T>(all: readonly T[]): readonly T[] {
  const step = Math.round(1 / SHARE);
  const chosen = all.filter((_, i) => i % step === FIRST % step);
  return chosen.length > 0 ? chosen : all.slice(0, 1);
}
