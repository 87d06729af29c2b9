import { Body, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { NotFound } from '../../base/errors/domain-error.js';
import { JsonText, sendJson } from '../../base/http/answer.js';
import { ApiFilter, ApiPaging, ApiRefusals } from '../../base/http/api-answers.js';
import { exportFormat, sendExport } from '../../base/http/export.js';
import { demandSame, externalIdIn } from '../../base/http/fields.js';
import { pageOf, PAGE_OPTIONS, readPage } from '../../base/http/page.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { ATS_STATUSES } from './candidate.js';
import { CANDIDATE_FILTERS, CandidateList } from './candidate-list.js';
import { CandidateBody, CandidateListBody, ChangeCandidate, CreateCandidate, PutCandidate } from './candidate.dto.js';
import { candidateText } from './candidate.mapping.js';
import { CandidatesRepository } from './candidates.repository.js';
import { CandidatesService } from './candidates.service.js';
import { sentFields } from './sent-candidate.js';

/** The candidates of a tenant. */
@ApiController('candidates', { unversioned: true })
export class CandidatesController {
  constructor(
    private readonly candidates: CandidatesService,
    private readonly repository: CandidatesRepository,
    private readonly lists: CandidateList,
  ) {}

  @Post()
  @RequireScope('candidates:write')
  @ApiOperation({ summary: 'Creates a candidate' })
  @ApiFilter(
    'if_exists',
    'What to do where a candidate has the `external_id` already: return it (200), or update it and return it (200). ' +
      '409 `external_id_taken` with its `id` when left out.',
    { enum: ['return', 'update'] },
  )
  @ApiBody({ type: CreateCandidate })
  @ApiCreatedResponse({ type: CandidateBody })
  @ApiOkResponse({ type: CandidateBody, description: 'With `if_exists`.' })
  @ApiRefusals({ 409: ['external_id_taken', 'managed_by_ats'], 503: ['too_much_contention'] })
  async create(
    @CurrentCaller() { tenantId }: Caller,
    @Body() body: CreateCandidate,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<JsonText> {
    const options = queryOptions(query, ['if_exists']);
    const ifExists = queryChoice('if_exists', options.if_exists, ['return', 'update']) ?? 'refuse';
    const fields = sentFields(req, body);
    const { row, created } = await this.candidates.create(tenantId, fields, ifExists);
    if (created) res.setHeader('Location', `/api/v1/candidates/${row.id}`);
    res.status(created ? 201 : 200);
    return new JsonText(candidateText(row));
  }

  @Get()
  @RequireScope('candidates:read')
  @ApiOperation({ summary: 'Candidates, newest first; `format=csv` for all of them' })
  @ApiFilter('email', 'Only candidates with this e-mail, without regard to case; several can have it.')
  @ApiFilter('external_id', 'Only the candidate with this `external_id`, with regard to case.')
  @ApiFilter('ats_priority', 'Only candidates whose metadata has this text as `ats_priority`.')
  @ApiFilter('stage', 'The stage in the ATS, by name.')
  @ApiFilter('ats_status', 'The state in the ATS.', { enum: ATS_STATUSES })
  @ApiFilter('job', 'The opening: its id or `external_id`.')
  @ApiFilter('connection', 'The ATS connection (`ats_…`) that owns the candidate.')
  @ApiFilter('q', 'The beginning of a first or last name, an e-mail or an `external_id`, without regard to case.')
  @ApiFilter(
    'updated_since',
    'Only candidates changed since this moment: `next_updated_since` of the last call.',
    'date-time',
  )
  @ApiFilter('format', undefined, { enum: ['json', 'csv'] })
  @ApiPaging()
  @ApiOkResponse({ type: CandidateListBody })
  @ApiRefusals()
  async list(
    @CurrentCaller() { tenantId }: Caller,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, [...CANDIDATE_FILTERS, 'format', ...PAGE_OPTIONS]);
    const filter = await this.lists.filterOf(tenantId, options);
    const format = exportFormat(queryChoice('format', options.format, ['json', 'csv']), req.headers.accept);
    if (format === 'csv') return sendExport(res, 'csv', 'candidates', this.lists.csv(tenantId, filter));
    const page = readPage(query, `candidates ${CANDIDATE_FILTERS.map((name) => options[name] ?? '').join(' ')}`);
    const next = await this.repository.nextUpdatedSince(tenantId);
    const rows = await this.repository.list(tenantId, filter, page);
    const { data, next_cursor } = pageOf(page, rows, (row) => row.id, candidateText);
    const rest = JSON.stringify({ next_cursor, next_updated_since: next }).slice(1);
    sendJson(res, 200, `{"data":[${data.join(',')}],${rest}`);
  }

  @Get('by-external-id/:external_id')
  @RequireScope('candidates:read')
  @ApiOperation({
    summary: 'The candidate with this external_id',
    description: 'The `external_id` of a merged candidate answers the survivor, as `resolve` does.',
  })
  @ApiOkResponse({ type: CandidateBody })
  @ApiRefusals()
  async byExternalId(
    @CurrentCaller() { tenantId }: Caller,
    @Param('external_id') inAddress: string,
  ): Promise<JsonText> {
    const id = await this.repository.resolve(tenantId, externalIdIn(inAddress));
    if (id === null) throw new NotFound('candidate');
    return new JsonText(candidateText(await this.candidates.get(tenantId, id)));
  }

  @Put('by-external-id/:external_id')
  @RequireScope('candidates:write')
  @ApiOperation({
    summary: 'Creates (201) or updates (200) the candidate with this external_id',
    description: 'Fields that are left out stay as they are. `metadata` is replaced as a whole; null empties it.',
  })
  @ApiBody({ type: PutCandidate })
  @ApiCreatedResponse({ type: CandidateBody })
  @ApiRefusals({ 404: [], 409: ['managed_by_ats'], 503: ['too_much_contention'] })
  @ApiOkResponse({ type: CandidateBody })
  async put(
    @CurrentCaller() { tenantId }: Caller,
    @Param('external_id') inAddress: string,
    @Body() body: PutCandidate,
    @Req() req: BridgeRequest,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<JsonText> {
    const externalId = externalIdIn(inAddress);
    demandSame(body.external_id, externalId);
    const fields = { ...sentFields(req, body), external_id: externalId };
    const { row, created } = await this.candidates.create(tenantId, fields, 'update');
    res.status(created ? 201 : 200);
    return new JsonText(candidateText(row));
  }

  @Get(':id')
  @RequireScope('candidates:read')
  @ApiOperation({ summary: 'One candidate' })
  @ApiRefusals()
  @ApiOkResponse({ type: CandidateBody })
  async get(@CurrentCaller() { tenantId }: Caller, @Param('id') id: string): Promise<JsonText> {
    return new JsonText(candidateText(await this.candidates.get(tenantId, id)));
  }

  @Patch(':id')
  @RequireScope('candidates:write')
  @ApiOperation({
    summary: 'Changes a candidate (JSON merge patch)',
    description: '`metadata` is replaced as a whole, not merged; null empties it.',
  })
  @ApiBody({ type: ChangeCandidate })
  @ApiRefusals({ 409: ['external_id_taken', 'managed_by_ats'], 503: ['too_much_contention'] })
  @ApiOkResponse({ type: CandidateBody })
  async change(
    @CurrentCaller() { tenantId }: Caller,
    @Param('id') id: string,
    @Body() body: ChangeCandidate,
    @Req() req: BridgeRequest,
  ): Promise<JsonText> {
    return new JsonText(candidateText(await this.candidates.change(tenantId, id, sentFields(req, body))));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScope('candidates:write')
  @ApiOperation({
    summary: 'Deletes a candidate',
    description: 'Erases the personal data, from the events about the candidate as well. Ids stay.',
  })
  @ApiNoContentResponse()
  @ApiRefusals()
  remove(@CurrentCaller() { tenantId }: Caller, @Param('id') id: string): Promise<void> {
    return this.candidates.remove(tenantId, id);
  }
}
