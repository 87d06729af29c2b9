import { Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { ApiFilter, ApiPage, ApiRefusals } from '../../base/http/api-answers.js';
import { csvLine, exportFormat, sendExport } from '../../base/http/export.js';
import { pageOf, readPage, PAGE_OPTIONS, type Page } from '../../base/http/page.js';
import { queryChoice, queryOptions, queryTime, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { CandidateEntryBody, CandidateHistoryService } from './candidate-history.service.js';
import { ENTRY_SHAPE } from './entry.dto.js';
import {
  ENTRY_COLUMNS,
  entryBody,
  entryCells,
  ENTRY_KINDS,
  timelinePlaceText,
  type EntryKind,
} from './entry.mapping.js';
import { type HistoryFilter, HistoryService } from './history.service.js';

const OPTIONS = ['kind', 'since', 'until', 'order', 'limit', 'cursor', 'format'] as const;

@ApiController('users/:user_id/history', { tag: 'history' })
@RequireScope('audit:read')
@ApiRefusals()
export class HistoryController {
  constructor(private readonly history: HistoryService) {}

  @Get()
  @ApiOperation({
    summary: 'The history of a user, newest first; also of a deleted user',
    description: '`format=csv` or `format=ndjson` exports all that matches.',
  })
  @ApiFilter('kind', `with commas between: ${ENTRY_KINDS.join(', ')}`)
  @ApiFilter('since', undefined, 'date-time')
  @ApiFilter('until', undefined, 'date-time')
  @ApiFilter('order', '`asc`: oldest first. Newest first unless set.', { enum: ['asc', 'desc'] })
  @ApiPage(ENTRY_SHAPE, { exports: true })
  async list(
    @CurrentCaller() { tenantId }: Caller,
    @Param('user_id') userId: string,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, OPTIONS);
    const filter: HistoryFilter = {
      kinds: kindsIn(options.kind),
      since: queryTime('since', options.since),
      until: queryTime('until', options.until),
      order: queryChoice('order', options.order, ['asc', 'desc']) ?? 'desc',
    };
    const format = exportFormat(options.format, req.headers.accept);
    const { kind = '', since = '', until = '' } = options;
    const page = readPage(query, `history ${[userId, kind, since, until, filter.order].join(' ')}`);
    await this.history.demandKnown(tenantId, userId);
    if (format !== 'json') return sendExport(res, format, 'history', this.export(tenantId, userId, filter, format));
    const rows = await this.history.page(tenantId, userId, filter, page);
    res.json(pageOf(page, rows, timelinePlaceText, entryBody));
  }

  private async *export(
    tenantId: string,
    userId: string,
    filter: HistoryFilter,
    format: 'csv' | 'ndjson',
  ): AsyncGenerator<string> {
    if (format === 'csv') yield csvLine(ENTRY_COLUMNS);
    for await (const rows of this.history.all(tenantId, userId, filter)) {
      yield rows
        .map((row) => (format === 'csv' ? csvLine(entryCells(row)) : `${JSON.stringify(entryBody(row))}\n`))
        .join('');
    }
  }
}

/** Parses kinds from a list with commas, each once and in a fixed order. @throws {InvalidFields} */
function kindsIn(text: string | undefined): EntryKind[] | undefined {
  if (text === undefined) return undefined;
  const words = text.split(',').map((word) => word.trim());
  if (!words.every((word) => (ENTRY_KINDS as readonly string[]).includes(word))) {
    throw new InvalidFields([{ field: 'kind', message: `must be some of: ${ENTRY_KINDS.join(', ')}` }]);
  }
  return ENTRY_KINDS.filter((kind) => words.includes(kind));
}

@ApiController('candidates/:id/history', { tag: 'candidates' })
@RequireScope('candidates:read')
@ApiRefusals()
export class CandidateHistoryController {
  constructor(private readonly history: CandidateHistoryService) {}

  @Get()
  @ApiOperation({
    summary: 'The history of a candidate, newest first: what came in, what went out, what waits and why',
    description:
      'Changes of the record, webhooks of the ATS, interviews, and writes to the ATS. Events and webhooks are kept for the retention of the installation.',
  })
  @ApiPage(CandidateEntryBody)
  list(
    @CurrentCaller() { tenantId }: Caller,
    @Param('id') id: string,
    @Query() query: QueryMap,
  ): Promise<Page<CandidateEntryBody>> {
    queryOptions(query, PAGE_OPTIONS);
    return this.history.page(tenantId, id, readPage(query, `candidate-history ${id}`));
  }
}
