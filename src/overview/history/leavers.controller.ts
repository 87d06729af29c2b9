import { applyDecorators, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiFilter, ApiPage, ApiRefusals } from '../../base/http/api-answers.js';
import { csvLine, exportFormat, sendExport } from '../../base/http/export.js';
import { pageOf, readPage } from '../../base/http/page.js';
import { queryChoice, queryOptions, queryTime, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { HistoryService } from './history.service.js';
import { LEAVER_STATES, LeaverShape } from './leaver.dto.js';
import { LEAVER_COLUMNS, leaverBody, leaverCells } from './leaver.mapping.js';
import { type LeaverFilter, LeaversService } from './leavers.service.js';

const FILTERS = ['since', 'until', 'state'] as const;
const OTHERS = ['limit', 'cursor', 'format'] as const;

const DescribedList = (): MethodDecorator =>
  applyDecorators(
    ApiFilter('since', undefined, 'date-time'),
    ApiFilter('until', undefined, 'date-time'),
    ApiFilter('state', undefined, { enum: LEAVER_STATES }),
    ApiPage(LeaverShape, { exports: true }),
  );

@ApiController('leavers', { tag: 'history' })
@RequireScope('audit:read')
@ApiRefusals()
export class LeaversController {
  constructor(
    private readonly leavers: LeaversService,
    private readonly history: HistoryService,
  ) {}

  @Get()
  @ApiOperation({
    summary: 'Deactivated and deleted users, newest first, with the times of request, commit, sessions and platform',
    description: '`format=csv` or `format=ndjson` exports all that matches. Held departures are not included.',
  })
  @ApiFilter('user_id')
  @DescribedList()
  list(
    @CurrentCaller() { tenantId }: Caller,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const { user_id: userId } = queryOptions(query, ['user_id', ...FILTERS, ...OTHERS]);
    return this.answer(tenantId, userId, query, req, res);
  }

  @Get(':user_id')
  @ApiOperation({ summary: 'The departures of one user, newest first' })
  @DescribedList()
  async get(
    @CurrentCaller() { tenantId }: Caller,
    @Param('user_id') userId: string,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    queryOptions(query, [...FILTERS, ...OTHERS]);
    await this.history.demandKnown(tenantId, userId);
    return this.answer(tenantId, userId, query, req, res);
  }

  private async answer(
    tenantId: string,
    userId: string | undefined,
    query: QueryMap,
    req: BridgeRequest,
    res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, ['user_id', ...FILTERS, ...OTHERS]);
    const filter: LeaverFilter = {
      user_id: userId,
      state: queryChoice('state', options.state, LEAVER_STATES),
      since: queryTime('since', options.since),
      until: queryTime('until', options.until),
    };
    const format = exportFormat(options.format, req.headers.accept);
    if (format !== 'json') return sendExport(res, format, 'leavers', this.export(tenantId, filter, format));
    const page = readPage(query, `leavers ${[userId, ...FILTERS.map((name) => options[name])].join(' ')}`);
    const rows = await this.leavers.list(tenantId, filter, page);
    res.json(pageOf(page, rows, (row) => row.sequence, leaverBody));
  }

  private async *export(tenantId: string, filter: LeaverFilter, format: 'csv' | 'ndjson'): AsyncGenerator<string> {
    if (format === 'csv') yield csvLine(LEAVER_COLUMNS);
    for await (const rows of this.leavers.all(tenantId, filter)) {
      yield rows
        .map((row) => (format === 'csv' ? csvLine(leaverCells(row)) : `${JSON.stringify(leaverBody(row))}\n`))
        .join('');
    }
  }
}
