import type { UsageRow } from './seat-reports.repository.js';

/** Seats over one interval: the most at once, the time-weighted mean, those at its end, and how many people. */
export interface Usage {
  peak: number | null;
  average: number | null;
  end: number | null;
  distinct_holders: number;
}

/**
 * Usage over the half-open interval [from, to). `before` is the count when it began (null: unknown), `holders` the
 * people who held a seat then, and is brought up to date to the end of the interval.
 */
export function usageOf(
  from: string,
  to: string,
  before: number | null,
  holders: Set<string>,
  rows: readonly UsageRow[],
): Usage {
  let count = before;
  let peak = before;
  let seatTime = 0;
  let known = 0;
  let at = Date.parse(from);
  const distinct = new Set(holders);
  for (const row of rows) {
    const time = Date.parse(row.effective_at);
    if (count !== null) {
      seatTime += count * (time - at);
      known += time - at;
    }
    at = time;
    count = row.count_after;
    peak = peak === null ? count : Math.max(peak, count);
    if (row.user_id === null) continue;
    if (row.delta > 0) {
      distinct.add(row.user_id);
      holders.add(row.user_id);
    } else if (row.delta < 0) holders.delete(row.user_id);
  }
  const end = Date.parse(to);
  if (count !== null) {
    seatTime += count * (end - at);
    known += end - at;
  }
  const average = known > 0 ? Math.round((seatTime / known) * 1000) / 1000 : count;
  return { peak, average, end: count, distinct_holders: distinct.size };
}
