import { Get, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { Clock } from '../../base/clock.js';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { ApiFilter, ApiRecord, ApiRefusals } from '../../base/http/api-answers.js';
import { queryChoice, queryOptions, queryTime, type Query as QueryMap } from '../../base/http/query.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { AcceptedChanges } from './accepted-changes.js';
import { ChangeStatisticsPage } from './statistics.dto.js';
import { INTERVALS, startOf, statisticsOf, type Interval } from './statistics.rules.js';

const NAMES = Object.keys(INTERVALS) as Interval[];
const MOST: Record<Interval, number> = { hour: 31 * 24, day: 366 };
const SHOWN: Record<Interval, number> = { hour: 24, day: 30 };

@ApiController('changes/statistics', { tag: 'changes' })
@RequireScope('changes:read')
@ApiRefusals()
export class StatisticsController {
  constructor(
    private readonly repository: AcceptedChanges,
    private readonly clock: Clock,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Changes accepted, confirmed, failed and parked, and their lag, by hour or day',
    description:
      'From totals by hour that are written with the facts. Hours and days are those of UTC; the range is widened to full ones. ' +
      'The lag of a call is the time from the oldest change that it carries to the answer of the platform, rounded up by at ' +
      'most 19 %. Hours are kept for 25 months.',
  })
  @ApiFilter('interval', '`hour` unless set', { enum: NAMES })
  @ApiFilter('from', 'a time, or a date in UTC; unless set, 24 hours or 30 days before `to`')
  @ApiFilter('to', 'before this time; now unless set. At most 31 days after `from` by hour, 366 by day')
  @ApiRecord(ChangeStatisticsPage)
  async show(@CurrentCaller() { tenantId }: Caller, @Query() query: QueryMap): Promise<ChangeStatisticsPage> {
    const options = queryOptions(query, ['from', 'to', 'interval']);
    const interval = queryChoice('interval', options.interval, NAMES) ?? 'hour';
    const length = INTERVALS[interval];
    const until = queryTime('to', options.to)?.getTime() ?? this.clock.now().getTime() + 1;
    const to = startOf(until - 1, interval) + length;
    const from = startOf(queryTime('from', options.from)?.getTime() ?? to - SHOWN[interval] * length, interval);
    if (from >= to) throw new InvalidFields([{ field: 'from', message: 'must be before to' }]);
    if (to - from > MOST[interval] * length) {
      throw new InvalidFields([{ field: 'to', message: `must be at most ${MOST[interval]} ${interval}s after from` }]);
    }
    const hours = await this.repository.hours(tenantId, new Date(from), new Date(to));
    return { data: statisticsOf(hours, { from, to, interval }) };
  }
}
