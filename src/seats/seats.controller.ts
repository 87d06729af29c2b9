import { Body, Get, HttpCode, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiQuery } from '@nestjs/swagger';
import { InvalidFields } from '../base/errors/domain-error.js';
import { csvLine } from '../base/http/csv.js';
import { exportFormat, sendExport, sendParts } from '../base/http/export.js';
import { pageOf, readPage } from '../base/http/page.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../base/http/request.js';
import { ApiController } from '../tenants/api-controller.js';
import type { Caller } from '../tenants/caller.js';
import { CurrentCaller } from '../tenants/current-caller.js';
import { RequireScope } from '../tenants/require-scope.js';
import { LedgerReader } from './ledger/ledger-reader.js';
import { SeatSealer } from './ledger/sealer.js';
import { asOfText, isDay } from './past-moment.js';
import { policiesIn, ReconcileDto, SeatLimitDto } from './seat.dto.js';
import { policiesOf, SeatLimitsService } from './seat-limits.service.js';
import { SeatReportsRepository, type Moment } from './seat-reports.repository.js';
import { SeatsRepository } from './seats.repository.js';
import { UsageReport, type UsageDay } from './usage-report.js';

/** A hundred years: no bound that a customer meets, and one for a year with a typing error. */
const MAX_DAYS = 36_525;

/** Seats: how many, who, since when, why, at any past moment. */
@ApiController('seats')
export class SeatsController {
  constructor(
    private readonly repository: SeatsRepository,
    private readonly limits: SeatLimitsService,
    private readonly reports: SeatReportsRepository,
    private readonly sealer: SeatSealer,
    private readonly ledger: LedgerReader,
    private readonly usageReport: UsageReport,
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
    const moment = await this.sealedMoment(tenantId, text);
    const used = await this.reports.usedAt(tenantId, moment.as_of);
    const limit = await this.reports.limitAt(tenantId, moment.as_of);
    return {
      limit: limit?.limit ?? null,
      policy: limit?.policy ?? null,
      used: used ?? 'unknown',
      waiting: null,
      overage: used === null ? 'unknown' : limit?.limit == null ? 0 : Math.max(0, used - limit.limit),
      ...moment,
    };
  }

  @Get('holders')
  @RequireScope('seats:read')
  @ApiOperation({ summary: 'Who held a seat at a moment; `format=csv` for all of them' })
  @ApiQuery({ name: 'as_of', required: false })
  @ApiQuery({ name: 'limit', required: false })
  @ApiQuery({ name: 'cursor', required: false })
  @ApiQuery({ name: 'format', required: false, enum: ['json', 'csv', 'ndjson'] })
  async holders(
    @CurrentCaller() caller: Caller,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, ['as_of', 'limit', 'cursor', 'format']);
    const moment = await this.sealedMoment(caller.tenantId, options.as_of);
    const format = exportFormat(options.format, req.headers.accept);
    if (format !== 'json') {
      return sendExport(res, format, 'seat-holders', this.ledger.holders(caller.tenantId, moment.as_of, format));
    }
    const page = readPage(query, `holders ${options.as_of ?? ''}`);
    const [after, asOf] = page.after === null ? [null, moment.as_of] : (page.after.split(' ') as [string, string]);
    const rows = await this.reports.holdersAt(caller.tenantId, asOf, after, page.limit + 1);
    const answer = pageOf(
      page,
      rows,
      (row) => `${row.user_id} ${asOf}`,
      (row) => row,
    );
    res.json({ ...answer, ...moment, as_of: asOf });
  }

  @Get('events')
  @RequireScope('seats:read')
  @ApiOperation({
    summary: 'The ledger, newest first; `format=ndjson` exports the whole chain for `seats verify --file`',
  })
  @ApiQuery({ name: 'user_id', required: false })
  @ApiQuery({ name: 'limit', required: false })
  @ApiQuery({ name: 'cursor', required: false })
  @ApiQuery({ name: 'format', required: false, enum: ['json', 'csv', 'ndjson'] })
  async events(
    @CurrentCaller() caller: Caller,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, ['user_id', 'limit', 'cursor', 'format']);
    await this.sealer.seal(caller.tenantId);
    const format = exportFormat(options.format, req.headers.accept);
    if (format !== 'json') {
      return sendExport(res, format, 'seat-events', this.ledger.export(caller.tenantId, format, options.user_id));
    }
    const page = readPage(query, `seat events ${options.user_id ?? ''}`);
    const before = page.after === null ? null : Number(page.after);
    const rows = await this.ledger.page(caller.tenantId, options.user_id ?? null, before, page.limit + 1);
    res.json(
      pageOf(
        page,
        rows,
        (row) => String(row.sequence),
        (row) => row,
      ),
    );
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
    const moment = await this.sealedMoment(caller.tenantId, undefined);
    const days = this.usageReport.days(caller.tenantId, from, to, moment);
    if (csv) return sendExport(res, 'csv', 'seat-usage', usageCsv(days));
    res.writeHead(200, { 'Content-Type': 'application/json' });
    await sendParts(res, usageJson(days, moment.sealed_through));
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
    return this.limits.reconcile(caller, body.repair ?? false);
  }

  /** The moment asked about, once everything up to now is sealed. */
  private async sealedMoment(tenantId: string, text: string | undefined): Promise<Moment> {
    const asOf = text === undefined ? undefined : asOfText(text);
    while (await this.sealer.seal(tenantId));
    const moment = await this.reports.moment(tenantId, asOf);
    // "Now" is the moment up to which everything has just been sealed.
    if (text !== undefined || moment.sealed_through === null) return moment;
    return { ...moment, as_of: moment.sealed_through, final: true };
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

async function* usageJson(days: AsyncIterable<UsageDay[]>, sealedThrough: string | null): AsyncGenerator<string> {
  let text = '{"data":[';
  for await (const some of days) {
    yield text + some.map((day) => JSON.stringify(day)).join(',');
    text = ',';
  }
  yield `],"sealed_through":${JSON.stringify(sealedThrough)}}`;
}
