import type { DeliveryHour } from '../../engine/delivery/delivery-hours.js';
import { addLags, lagAt } from '../../engine/delivery/lags.rules.js';
import type { ChangeStatisticsBody } from './statistics.dto.js';

/** In milliseconds. Intervals begin at full hours and days of UTC. */
export const INTERVALS = { hour: 3_600_000, day: 86_400_000 } as const;
export type Interval = keyof typeof INTERVALS;

export function startOf(moment: number, interval: Interval): number {
  return moment - (moment % INTERVALS[interval]);
}

/** Adds hours up to one line for each interval, empty ones included. @param from the start of the first interval */
export function statisticsOf(
  hours: readonly DeliveryHour[],
  { from, to, interval }: { from: number; to: number; interval: Interval },
): ChangeStatisticsBody[] {
  const length = INTERVALS[interval];
  const sums = Array.from({ length: Math.ceil((to - from) / length) }, (_, i) => ({
    from: new Date(from + i * length).toISOString(),
    accepted: 0,
    confirmed: 0,
    failed: 0,
    parked: 0,
    lags: [] as number[],
  }));
  for (const { hour, accepted, confirmed, failed, parked, lags } of hours) {
    const sum = sums[Math.floor((hour.getTime() - from) / length)]!;
    sum.accepted += accepted;
    sum.confirmed += confirmed;
    sum.failed += failed;
    sum.parked += parked;
    addLags(sum.lags, lags);
  }
  return sums.map(({ lags, ...sum }) => ({ ...sum, lag_p50_ms: lagAt(lags, 0.5), lag_p95_ms: lagAt(lags, 0.95) }));
}
