const FIRST_MS = 10;
/** Four classes for each doubling: a class is at most 19 % wide. */
const PER_DOUBLING = 4;
/** The last class: lags of three weeks and more. */
const LAST = 110;

function classOf(ms: number): number {
  return Math.min(LAST, Math.max(0, Math.ceil(PER_DOUBLING * Math.log2(ms / FIRST_MS))));
}

/**
 * Counts lags by class, up to the last class that has a lag.
 *
 * @param lags milliseconds
 */
export function countLags(lags: readonly number[]): number[] {
  const counts: number[] = [];
  for (const ms of lags) {
    const place = classOf(ms);
    while (counts.length <= place) counts.push(0);
    counts[place]!++;
  }
  return counts;
}

/** Adds counts to others, class by class. */
export function addLags(sum: number[], counts: readonly number[]): void {
  counts.forEach((count, place) => (sum[place] = (sum[place] ?? 0) + count));
}

/**
 * Returns the lag that a share of all lags does not exceed: the longest one of its class.
 *
 * @param share such as 0.95
 * @returns milliseconds; null without any lag
 */
export function lagAt(counts: readonly number[], share: number): number | null {
  const wanted = counts.reduce((sum, count) => sum + count, 0) * share;
  if (wanted === 0) return null;
  let sum = 0;
  const place = counts.findIndex((count) => (sum += count) >= wanted);
  return Math.round(FIRST_MS * 2 ** (place / PER_DOUBLING));
}
