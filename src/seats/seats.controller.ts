import { Body, Get, HttpCode, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiExtraModels, getSchemaPath, ApiOperation } from '@nestjs/swagger';
import { InvalidFields } from '../base/errors/domain-error.js';
import { ApiFilter } from '../base/http/api-answers.js';
import { csvLine, exportBom, exportFormat, sendExport, sendParts } from '../base/http/export.js';
import { Choice, Flag, Ruled, Whole } from '../base/http/fields.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../base/http/request.js';
import { ApiController } from '../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, RecentSignIn, type Caller } from '../tenancy/tenants/caller.js';
import { isDay, LedgerReader, type UsageDay } from './ledger-reader.js';
import { SeatHolders } from './ledger/seat-holders.js';
import { Reconciliation } from './reconciliation.js';
import { policiesOf, SeatLimitsService, type Policies } from './seat-limits.service.js';
import { AS_OF, BOM } from './seat-lists.controller.js';
import { SeatReportsRepository, type ReportMoment } from './seat-reports.repository.js';
import type { SeatPolicy } from './seat.rules.js';
import { SeatsRepository } from './seats.repository.js';
import { HOLDER_FACTS_VERSION } from './usage.rules.js';

const POLICIES = ['wait', 'block', 'allow'];
const CHANNELS = ['directory', 'api', 'sign_in'];
const ONE_OF = `must be one of: ${POLICIES.join(', ')}`;

class PoliciesDto {
  @Choice(POLICIES, { optional: true, description: 'SCIM directories' })
  directory?: SeatPolicy;
  @Choice(POLICIES, { optional: true, description: 'the users API' })
  api?: SeatPolicy;
  @Choice(POLICIES, { optional: true, description: 'just-in-time sign-in' })
  sign_in?: SeatPolicy;
}

@ApiExtraModels(PoliciesDto)
export class SeatLimitDto {
  @Whole({ min: 0, max: 10_000_000, optional: true, nullable: true, description: 'null: no limit' })
  limit?: number | null;
  @Ruled(
    policyProblem,
    { oneOf: [{ type: 'string', enum: POLICIES }, { $ref: getSchemaPath(PoliciesDto) }] },
    { optional: true, description: 'one word for every channel, or one for each' },
  )
  policy?: SeatPolicy | PoliciesDto;
}

function policiesIn(policy: SeatPolicy | PoliciesDto | undefined): PoliciesDto {
  return typeof policy === 'string' ? { directory: policy, api: policy, sign_in: policy } : (policy ?? {});
}

function policyProblem(value: unknown): string | null {
  if (typeof value === 'string') return POLICIES.includes(value) ? null : ONE_OF;
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return ONE_OF;
  for (const [channel, policy] of Object.entries(value)) {
    if (!CHANNELS.includes(channel)) return `knows no channel "${channel}"; known: ${CHANNELS.join(', ')}`;
    if (typeof policy !== 'string' || !POLICIES.includes(policy)) return `of ${channel} ${ONE_OF}`;
  }
  return null;
}

export class ReconcileDto {
  @Flag({ optional: true, description: 'append the lines that make the ledger follow the users' })
  repair?: boolean;
}

/** A hundred years: a bound only for a year with a typing error. */
const MAX_DAYS = 36_525;
const USUAL_DAYS = 30;
const DAY_MS = 86_400_000;

@ApiController('seats')
export class SeatsController {
  constructor(
    private readonly repository: SeatsRepository,
    private readonly holders: SeatHolders,
    private readonly limits: SeatLimitsService,
    private readonly reports: SeatReportsRepository,
    private readonly reader: LedgerReader,
    private readonly reconciliation: Reconciliation,
  ) {}

  @Get()
  @RequireScope('seats:read')
  @ApiOperation({
    summary: 'Seats now, or at any past moment',
    description:
      '`used`, `limit` and `overage` are null at a moment before the first line of the ledger: they are not known. ' +
      '`waiting` is null for every past moment. `final: false`: the ledger is sealed up to `sealed_through` only, and lines ' +
      'of writes that are under way can follow.',
  })
  @ApiFilter('as_of', AS_OF)
  @ApiFilter('format', undefined, { enum: ['json', 'csv'] })
  @ApiFilter('bom', BOM, { enum: ['true', 'false'] })
  async summary(
    @CurrentCaller() caller: Caller,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, ['as_of', 'format', 'bom']);
    const format = exportFormat(queryChoice('format', options.format, ['json', 'csv']), req.headers.accept);
    const bom = exportBom(options.bom, format);
    const { tenantId } = caller;
    const found = options.as_of === undefined ? await this.now(tenantId) : await this.past(tenantId, options.as_of);
    if (format === 'csv') return sendExport(res, 'csv', 'seats', summaryCsv(found), bom);
    res.json(found);
  }

  private async now(tenantId: string): Promise<SeatSummary> {
    const limit = await this.repository.limitOf(tenantId);
    const used = await this.repository.used(tenantId);
    const moment = await this.reports.moment(tenantId, undefined);
    return {
      limit: limit.limit,
      policy: policiesOf(limit),
      used,
      waiting: await this.holders.waiting(tenantId),
      overage: limit.limit === null ? 0 : Math.max(0, used - limit.limit),
      ...moment,
    };
  }

  private async past(tenantId: string, text: string): Promise<SeatSummary> {
    const moment = await this.reader.momentOf(tenantId, text);
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
  @ApiOperation({
    summary:
      'Peak, average, end and distinct holders for each day of a half-open range; without one, of the last 30 days',
  })
  @ApiFilter('from', 'the first day, such as 2026-10-01; not after today. Together with `to`')
  @ApiFilter('to', 'the day after the last one. Together with `from`')
  @ApiFilter('interval', 'The length of each step of the report.', { enum: ['day'] })
  @ApiFilter('format', undefined, { enum: ['json', 'csv'] })
  @ApiFilter('bom', BOM, { enum: ['true', 'false'] })
  async usage(
    @CurrentCaller() caller: Caller,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, ['from', 'to', 'interval', 'format', 'bom']);
    queryChoice('interval', options.interval, ['day']);
    const { from, to } =
      options.from === undefined && options.to === undefined
        ? lastDays((await this.reports.today(caller.tenantId)).day)
        : rangeOf(options.from, options.to);
    const format = exportFormat(queryChoice('format', options.format, ['json', 'csv']), req.headers.accept);
    const bom = exportBom(options.bom, format);
    await this.reader.demandNotAhead(caller.tenantId, 'from', from);
    const moment = await this.reader.momentOf(caller.tenantId, undefined);
    const days = this.reader.usageDays(caller.tenantId, from, to, moment);
    if (format === 'csv') return sendExport(res, 'csv', 'seat-usage', usageCsv(days), bom);
    const facts = { version: HOLDER_FACTS_VERSION, since: await this.reports.holderFactsSince(caller.tenantId) };
    res.writeHead(200, { 'Content-Type': 'application/json' });
    await sendParts(res, usageJson(days, { sealed_through: moment.sealed_through, holder_facts: facts }));
  }

  @RecentSignIn()
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
  @ApiOperation({
    summary: 'Compares the ledger with the users in force, and corrects it on request',
    description:
      'Lists the users who are in force and no holder by the ledger, those who are a holder and not in force, and lines ' +
      'that are not in the order in which they were written. `more: true`: there are more than the 1,000 that are named. ' +
      '`repair` adds lines, and changes none.',
  })
  reconcile(@CurrentCaller() caller: Caller, @Body() body: ReconcileDto): Promise<object> {
    return this.reconciliation.reconcile(caller, body.repair ?? false);
  }
}

/** Returns the last 30 days, with today as the last one. */
function lastDays(today: string): { from: string; to: string } {
  const dayAt = (distance: number): string =>
    new Date(Date.parse(today) + distance * DAY_MS).toISOString().slice(0, 10);
  return { from: dayAt(1 - USUAL_DAYS), to: dayAt(1) };
}

/** Returns the range, or refuses it with 422 unless both are days in order. */
function rangeOf(from: string | undefined, to: string | undefined): { from: string; to: string } {
  const errors = [
    { field: 'from', value: from },
    { field: 'to', value: to },
  ]
    .filter(({ value }) => !isDay(value))
    .map(({ field }) => ({ field, message: 'must be a date such as 2026-10-31' }));
  if (errors.length > 0) throw new InvalidFields(errors);
  const span = (Date.parse(to!) - Date.parse(from!)) / DAY_MS;
  if (span < 1 || span > MAX_DAYS) {
    throw new InvalidFields([{ field: 'to', message: `must be a day after \`from\`, by at most ${MAX_DAYS} days` }]);
  }
  return { from: from!, to: to! };
}

/** Null for unknown figures. */
interface SeatSummary extends ReportMoment {
  limit: number | null;
  policy: unknown;
  used: number | null;
  waiting: number | null;
  overage: number | null;
}

async function* summaryCsv({ policy, ...summary }: SeatSummary): AsyncGenerator<string> {
  const policies = (policy ?? {}) as Partial<Policies>;
  const cells = {
    as_of: summary.as_of,
    used: summary.used,
    limit: summary.limit ?? (summary.used === null ? null : 'none'),
    overage: summary.overage,
    waiting: summary.waiting,
    policy_directory: policies.directory,
    policy_api: policies.api,
    policy_sign_in: policies.sign_in,
    sealed_through: summary.sealed_through,
    final: summary.final,
  };
  yield csvLine(Object.keys(cells));
  yield csvLine(Object.values(cells));
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
