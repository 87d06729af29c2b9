import { Get, Query, Req, Res, HttpCode, Post } from '@nestjs/common';
import { ApiOperation, ApiOkResponse } from '@nestjs/swagger';
import { ApiFilter, ApiPaging } from '../base/http/api-answers.js';
import { exportBom, exportFormat, sendExport } from '../base/http/export.js';
import { pageOf, readPage } from '../base/http/page.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../base/http/request.js';
import { HeadsPageDto, knownHead, DayClosing } from '../tenancy/ledger/day-closing.js';
import { ApiController } from '../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../tenancy/tenants/caller.js';
import { LedgerReader } from './ledger-reader.js';
import { eventView, LEDGER_ENTRY_KINDS, type EventFilter } from './ledger/event.mapping.js';
import { Reconciliation } from './reconciliation.js';
import { SeatChain } from './seat-chain.js';
import { SeatReportsRepository } from './seat-reports.repository.js';

export const AS_OF =
  'a date, such as 2026-10-31: the end of that day in the tenant’s time zone; or a time. Not after today.';
export const BOM = 'with `format=csv`: begins the file with a byte order mark, so that Excel reads it as UTF-8';

const FILTERS = ['since', 'until', 'kind', 'directory', 'user', 'user_id'] as const;

@ApiController('seats')
export class SeatListsController {
  constructor(
    private readonly reports: SeatReportsRepository,
    private readonly ledger: LedgerReader,
  ) {}

  @Get('holders')
  @RequireScope('seats:read')
  @ApiOperation({
    summary: 'Who held a seat at a moment; `format=csv` for all of them',
    description:
      'Role, directory and cost centre are those of the moment; names, e-mail and `external_id` are those of today, and ' +
      'null for a user who is deleted. `known: false` and `used: null`: the moment is before the first line of the ledger, ' +
      'and who held a seat then is not known. In CSV the only row is `unknown` then.',
  })
  @ApiFilter('as_of', AS_OF)
  @ApiPaging()
  @ApiFilter('format', undefined, { enum: ['json', 'csv', 'ndjson'] })
  @ApiFilter('bom', BOM, { enum: ['true', 'false'] })
  async holders(
    @CurrentCaller() caller: Caller,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, ['as_of', 'limit', 'cursor', 'format', 'bom']);
    const moment = await this.ledger.momentOf(caller.tenantId, options.as_of);
    const format = exportFormat(options.format, req.headers.accept);
    const bom = exportBom(options.bom, format);
    if (format !== 'json') {
      const { used } = await this.usedAt(caller.tenantId, options.as_of, moment.as_of);
      const rows = this.ledger.holders(caller.tenantId, moment.as_of, format, used !== null);
      return sendExport(res, format, 'seat-holders', rows, bom);
    }
    const page = readPage(query, `holders ${options.as_of ?? ''}`);
    const [after, asOf] = page.after === null ? [null, moment.as_of] : (page.after.split(' ') as [string, string]);
    const rows = await this.reports.holdersAt(caller.tenantId, asOf, after, page.limit + 1);
    const { used } = await this.usedAt(caller.tenantId, options.as_of, asOf);
    const answer = pageOf(
      page,
      rows,
      (row) => `${row.user_id} ${asOf}`,
      (row) => row,
    );
    res.json({ ...answer, ...moment, as_of: asOf, used, known: used !== null });
  }

  /** Returns null for unknown seats. Without a moment the answer has the present seats, which are always known. */
  private async usedAt(tenantId: string, asked: string | undefined, asOf: string): Promise<{ used: number | null }> {
    const used = await this.reports.usedAt(tenantId, asOf);
    return { used: asked === undefined ? (used ?? 0) : used };
  }

  @Get('events')
  @RequireScope('seats:read')
  @ApiOperation({
    summary: 'The ledger, newest first; `format=ndjson` exports the whole chain for `seats verify --file`',
    description:
      'CSV has the names and e-mail addresses of today beside the lines; they are empty for a user who is deleted. ' +
      '`details` and `source` are columns of their own there.',
  })
  @ApiFilter('since', 'a time, or a date: the start of that day of the tenant')
  @ApiFilter('until', 'before this time, or before the start of this day')
  @ApiFilter('kind', undefined, { enum: LEDGER_ENTRY_KINDS })
  @ApiFilter('directory', 'the id of a directory, or `none`')
  @ApiFilter('user', 'the id of a user')
  @ApiFilter('user_id', 'the same as `user`', { deprecated: true })
  @ApiPaging()
  @ApiFilter('format', undefined, { enum: ['json', 'csv', 'ndjson'] })
  @ApiFilter('bom', BOM, { enum: ['true', 'false'] })
  async events(
    @CurrentCaller() caller: Caller,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, [...FILTERS, 'limit', 'cursor', 'format', 'bom']);
    const filter: EventFilter = {
      since: await this.ledger.startOfMoment(caller.tenantId, 'since', options.since),
      until: await this.ledger.startOfMoment(caller.tenantId, 'until', options.until),
      kind: queryChoice('kind', options.kind, LEDGER_ENTRY_KINDS) ?? null,
      directory: options.directory ?? null,
      user: options.user ?? options.user_id ?? null,
    };
    await this.ledger.sealNow(caller.tenantId);
    const format = exportFormat(options.format, req.headers.accept);
    const bom = exportBom(options.bom, format);
    if (format !== 'json') {
      return sendExport(res, format, 'seat-events', this.ledger.export(caller.tenantId, format, filter), bom);
    }
    const page = readPage(query, `seat events ${FILTERS.map((name) => options[name] ?? '').join(' ')}`);
    const before = page.after === null ? null : Number(page.after);
    const rows = await this.ledger.page(caller.tenantId, filter, before, page.limit + 1);
    res.json(pageOf(page, rows, (row) => String(row.sequence), eventView));
  }
}

@ApiController('seats')
export class SeatChainController {
  constructor(
    private readonly chain: SeatChain,
    private readonly reconciliation: Reconciliation,
    private readonly days: DayClosing,
  ) {}

  @Post('verify')
  @HttpCode(200)
  @RequireScope('seats:read')
  @ApiOperation({
    summary: 'Checks the ledger’s chain and names the first entry that does not fit',
    description:
      'Where the chain is whole, what its lines amount to is compared with the users in force, at the end and at each ' +
      'closed day: `code: holders differ` names each user who differs, with the lines.',
  })
  @ApiFilter('sequence', 'with `hash`: a head that the caller has kept')
  @ApiFilter('hash')
  async verify(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<object> {
    return this.reconciliation.verify(caller.tenantId, knownHead(query));
  }

  @Get('heads')
  @RequireScope('seats:read')
  @ApiOperation({ summary: 'The signed heads of the ledger by day (UTC), newest first, and the head of now' })
  @ApiPaging()
  @ApiOkResponse({ type: HeadsPageDto })
  listHeads(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<HeadsPageDto> {
    return this.days.publishedPage(this.chain, caller.tenantId, query);
  }
}
