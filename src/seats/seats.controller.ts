import { Body, Get, HttpCode, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiQuery } from '@nestjs/swagger';
import { InvalidFields } from '../base/errors/domain-error.js';
import { csvLine } from '../base/http/csv.js';
import { exportFormat, sendExport, sendParts } from '../base/http/export.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../base/http/request.js';
import { ApiController } from '../tenants/api-controller.js';
import type { Caller } from '../tenants/caller.js';
import { CurrentCaller } from '../tenants/current-caller.js';
import { RequireScope } from '../tenants/require-scope.js';
import { SealedMoments } from './ledger/sealed-moments.js';
import { isDay } from './past-moment.js';
import { policiesIn, ReconcileDto, SeatLimitDto } from './seat.dto.js';
import { policiesOf, SeatLimitsService } from './seat-limits.service.js';
import { Reconciliation } from './reconciliation.js';
import { SeatReportsRepository } from './seat-reports.repository.js';
import { SeatsRepository } from './seats.repository.js';
import { UsageReport, type UsageDay } from './usage-report.js';
import { HOLDER_FACTS_VERSION } from './usage.rules.js';

/** A hundred years: no bound that a customer meets, and one for a year with a typing error. */
const MAX_DAYS = 36_525;

/** Seats: how many, who, since when, why, at any past moment. */
@ApiController('seats')
export class SeatsController {
  constructor(
    private readonly repository: SeatsRepository,
    private readonly limits: SeatLimitsService,
    private readonly reports: SeatReportsRepository,
    private readonly moments: SealedMoments,
    private readonly usageReport: UsageReport,
    private readonly reconciliation: Reconciliation,
  ) {}

  @Get()
  @RequireScope('seats:read')
  @ApiOperation({ summary: 'Seats now, or at any past moment' })
  @ApiQuery({
    name: 'as_of',
    required: false,
    description: 'a time, or a date: the end of that day in the tenant’s time zone',
  })
  async summary(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<object> {
    const { as_of: asOf } = queryOptions(query, ['as_of']);
    if (asOf !== undefined) return this.past(caller.tenantId, asOf);
    return this.now(caller.tenantId);
  }

  private async now(tenantId: string): Promise<object> {
    const limit = await this.repository.limitOf(tenantId);
    const used = await this.repository.used(tenantId);
    const moment = await this.reports.moment(tenantId, undefined);
    return {
      limit: limit.limit,
      policy: policiesOf(limit),
      used,
      waiting: await this.reports.waiting(tenantId),
      overage: limit.limit === null ? 0 : Math.max(0, used - limit.limit),
      ...moment,
    };
  }

  private async past(tenantId: string, text: string): Promise<object> {
    const moment = await this.moments.of(tenantId, text);
    const used = await this.reports.usedAt(tenantId, moment.as_of);
    const limit = await this.reports.limitAt(tenantId, moment.as_of);
    return {
      limit: limit?.limit ?? null,
      policy: limit?.policy ?? null,
      used,
      waiting: null,
      overage: used === null ? null : limit?.limit == null ? 0 : Math.max(0, used - limit.limit),
      ...moment,
    };
  }

  @Get('usage')
  @RequireScope('seats:read')
  @ApiOperation({ summary: 'Peak, average, end and distinct holders for each day of a half-open range' })
  @ApiQuery({ name: 'from', required: true })
  @ApiQuery({ name: 'to', required: true })
  @ApiQuery({ name: 'interval', required: false, enum: ['day'] })
  @ApiQuery({ name: 'format', required: false, enum: ['json', 'csv'] })
  async usage(
    @CurrentCaller() caller: Caller,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, ['from', 'to', 'interval', 'format']);
    queryChoice('interval', options.interval, ['day']);
    const { from, to } = rangeOf(options.from, options.to);
    const csv = exportFormat(options.format, req.headers.accept) === 'csv';
    const moment = await this.moments.of(caller.tenantId, undefined);
    const days = this.usageReport.days(caller.tenantId, from, to, moment);
    if (csv) return sendExport(res, 'csv', 'seat-usage', usageCsv(days));
    const facts = { version: HOLDER_FACTS_VERSION, since: await this.reports.holderFactsSince(caller.tenantId) };
    res.writeHead(200, { 'Content-Type': 'application/json' });
    await sendParts(res, usageJson(days, { sealed_through: moment.sealed_through, holder_facts: facts }));
  }

  @Put('limit')
  @RequireScope('seats:write')
  @ApiOperation({ summary: 'Sets the limit and what happens at it' })
  async setLimit(@CurrentCaller() caller: Caller, @Body() body: SeatLimitDto): Promise<object> {
    await this.limits.change(caller, { limit: body.limit, policy: policiesIn(body.policy) });
    return this.now(caller.tenantId);
  }

  @Post('reconcile')
  @HttpCode(200)
  @RequireScope('seats:write')
  @ApiOperation({ summary: 'Compares the ledger with the people, and repairs it on request' })
  reconcile(@CurrentCaller() caller: Caller, @Body() body: ReconcileDto): Promise<object> {
    return this.reconciliation.reconcile(caller, body.repair ?? false);
  }
}

/** The days of a usage report: 422 unless both are days, and in order. */
function rangeOf(from: string | undefined, to: string | undefined): { from: string; to: string } {
  const errors = [
    { field: 'from', value: from },
    { field: 'to', value: to },
  ]
    .filter(({ value }) => !isDay(value))
    .map(({ field }) => ({ field, message: 'must be a date such as 2026-01-31' }));
  if (errors.length > 0) throw new InvalidFields(errors);
  const span = (Date.parse(to!) - Date.parse(from!)) / 86_400_000;
  if (span < 1 || span > MAX_DAYS) {
    throw new InvalidFields([{ field: 'to', message: `must be 1 to ${MAX_DAYS} days after from` }]);
  }
  return { from: from!, to: to! };
}

const USAGE_COLUMNS = ['day', 'peak', 'average', 'end', 'distinct_holders', 'limit', 'final'] as const;

async function* usageCsv(days: AsyncIterable<UsageDay[]>): AsyncGenerator<string> {
  yield csvLine([...USAGE_COLUMNS]);
  for await (const some of days) {
    yield some.map((day) => csvLine(USAGE_COLUMNS.map((column) => day[column]))).join('');
  }
}

async function* usageJson(days: AsyncIterable<UsageDay[]>, facts: object): AsyncGenerator<string> {
  let text = '{"data":[';
  for await (const some of days) {
    yield text + some.map((day) => JSON.stringify(day)).join(',');
    text = ',';
  }
  yield `],${JSON.stringify(facts).slice(1)}`;
}
