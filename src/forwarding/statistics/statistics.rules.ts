import { ApiProperty } from '@nestjs/swagger';
import type { DeliveryHour } from '../../engine/delivery/delivery-hours.js';
import { addLags, lagAt } from '../../engine/delivery/lags.rules.js';

const COUNT = { type: 'integer', example: 42 } as const;
const LAG = { type: 'integer', nullable: true, example: 420 } as const;

class ChangeStatisticsBody {
  @ApiProperty({ format: 'date-time', description: 'The start of the interval.' })
  from!: string;
  @ApiProperty({ ...COUNT, description: 'Changes of users, as `GET /changes` lists them.' })
  accepted!: number;
  @ApiProperty({
    ...COUNT,
    description: 'Calls that the platform confirmed. One call can carry several changes of a user.',
  })
  confirmed!: number;
  @ApiProperty({ ...COUNT, description: 'Calls that failed or were refused.' })
  failed!: number;
  @ApiProperty({ ...COUNT, description: 'Users whose change was parked.' })
  parked!: number;
  @ApiProperty({ ...LAG, description: 'Half of the confirmed calls were not later than this, in milliseconds.' })
  lag_p50_ms!: number | null;
  @ApiProperty({ ...LAG, description: '95 % of the confirmed calls were not later than this.' })
  lag_p95_ms!: number | null;
}

export class ChangeStatisticsPage {
  @ApiProperty({ type: [ChangeStatisticsBody], description: 'One line for each interval, oldest first.' })
  data!: ChangeStatisticsBody[];
}

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
