/** How fast the platform takes changes, and when those that wait will be sent. */
export interface StatusRate {
  rate: { last_5_minutes: number; last_15_minutes: number };
  estimated_end: Date | null;
}

/**
 * Returns the rate in changes a minute, and the estimate of the moment at which nothing waits.
 *
 * @param figures changes that wait, and those that were delivered in the last 5 and 15 minutes
 * @param now the moment of the figures
 */
export function rateOf(figures: { waiting: number; delivered5: number; delivered15: number }, now: Date): StatusRate {
  const [last5, last15] = [figures.delivered5 / 5, figures.delivered15 / 15];
  const pace = last5 > 0 ? last5 : last15;
  const rate = { last_5_minutes: rounded(last5), last_15_minutes: rounded(last15) };
  if (figures.waiting === 0 || pace === 0) return { rate, estimated_end: null };
  return { rate, estimated_end: new Date(now.getTime() + (figures.waiting / pace) * 60_000) };
}

function rounded(rate: number): number {
  return Math.round(rate * 10) / 10;
}
