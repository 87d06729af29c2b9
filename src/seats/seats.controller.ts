import { Body, Get, HttpCode, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiQuery } from '@nestjs/swagger';
import { InvalidFields } from '../base/errors/domain-error.js';
import { csvLine } from '../base/http/csv.js';
import { exportFormat, sendExport } from '../base/http/export.js';
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
import { usageOf } from './usage.rules.js';

const MAX_DAYS = 400;

/** Seats: how many, who, since when, why, at any past moment. */
@ApiController('seats')
export class SeatsController {
  constructor(
    private readonly repository: SeatsRepository,
    private readonly limits: SeatLimitsService,
    private readonly reports: SeatReportsRepository,
    private readonly sealer: SeatSealer,
    private readonly ledger: LedgerReader,
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
    const days = await this.daysOf(caller.tenantId, options.from, options.to);
    const moment = await this.sealedMoment(caller.tenantId, undefined);
    const data = await this.usageByDay(caller.tenantId, days, moment);
    if (exportFormat(options.format, req.headers.accept) === 'csv') {
      const columns = ['day', 'peak', 'average', 'end', 'distinct_holders', 'limit', 'final'] as const;
      const lines = data.map((day) => csvLine(columns.map((column) => day[column])));
      return sendExport(res, 'csv', 'seat-usage', toStream([csvLine([...columns]), ...lines]));
    }
    res.json({ data, sealed_through: moment.sealed_through });
  }

  private async usageByDay(tenantId: string, days: { day: string; from: string; to: string }[], moment: Moment) {
    const first = days[0]!;
    const { before, rows } = await this.reports.steps(tenantId, first.from, days.at(-1)!.to);
    const holders = await this.ledger.holderIdsBefore(tenantId, first.from);
    const data = [];
    let count = before;
    let place = 0;
    for (const { day, from, to } of days) {
      const until = to < moment.as_of ? to : moment.as_of;
      const start = place;
      while (place < rows.length && rows[place]!.effective_at < to) place++;
      const slice = rows.slice(start, place);
      const future = from > moment.as_of;
      const usage = future
        ? { peak: null, average: null, end: null, distinct_holders: 0 }
        : usageOf(from, until, count, holders, slice);
      count = slice.at(-1)?.count_after ?? count;
      const limit = future ? null : ((await this.reports.limitAt(tenantId, until))?.limit ?? null);
      data.push({ day, ...usage, limit, final: moment.sealed_through !== null && to <= moment.sealed_through });
    }
    return data;
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

  private async daysOf(tenantId: string, from: string | undefined, to: string | undefined) {
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
    return this.reports.days(tenantId, from!, to!);
  }
}

async function* toStream(lines: string[]): AsyncGenerator<string> {
  yield* lines;
}
