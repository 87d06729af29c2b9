import { Body, Delete, Get, HttpCode, Param, Patch, Post, Put, Query, Req, Res } from '@nestjs/common';
import {
  ApiProperty,
  IntersectionType,
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
} from '@nestjs/swagger';
import { InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import { JsonText, sendJson } from '../../base/http/answer.js';
import { ApiFilter, ApiPaging, ApiRefusals } from '../../base/http/api-answers.js';
import { exportFormat, sendExport } from '../../base/http/export.js';
import { EMAIL, Ruled, Text, demandSame, externalIdIn } from '../../base/http/fields.js';
import { pageOf, PAGE_OPTIONS, readPage } from '../../base/http/page.js';
import { queryChoice, queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';
import { ChangeType, PutType, ShownType, Times, UpdatesPage } from '../../base/http/shown.js';
import { AsSent, ServerSet } from '../../base/http/validate.js';
import { jsonMemberText } from '../../base/json-text.js';
import { present } from '../../base/present.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { ATS_STATUSES, type AtsStatus, type Metadata } from './candidate.js';
import { candidateText } from './candidate.mapping.js';
import { CandidatesRepository } from './candidates.repository.js';
import { CANDIDATE_FILTERS, CandidatesService } from './candidates.service.js';
import { metadataProblem, metadataTextProblem, NO_METADATA, readCandidateMetadata } from './metadata.rules.js';

const SERVER_FIELDS = ['id', 'stage', 'ats_status', 'sequence', 'created_at', 'updated_at'] as const;

const METADATA = {
  type: 'object' as const,
  additionalProperties: true,
  description:
    'Any JSON object of at most 16 KiB, kept letter for letter. `job_opening_id` names an opening by its `external_id` or ' +
    'id; `ats_priority` can be filtered by.',
  example: { ats: 'zoho_recruit', job_opening_id: 'zr_480912', ats_priority: 'high' },
};

@ServerSet(...SERVER_FIELDS)
@AsSent('metadata')
export class CreateCandidate {
  @Text({ max: 200, example: 'Zoë' })
  first_name!: string;
  @Text({ max: 200, min: 0, example: 'Müller', description: 'Can be empty.' })
  last_name!: string;
  @Text({ max: 320, format: 'email', pattern: EMAIL, example: 'zoe.muller@example.com' })
  email!: string;
  @Text({ max: 255, description: 'The id in the ATS.', example: 'zr_480912000001234567' })
  external_id!: string;
  @Text({
    max: 200,
    optional: true,
    nullable: true,
    description:
      'null, or left out for a new candidate: the title of the opening that `metadata.job_opening_id` names.',
    example: 'Backend Engineer',
  })
  job_title?: string | null;
  @Ruled(metadataProblem, METADATA, { optional: true, nullable: true })
  metadata?: object | null;
}

/** A JSON merge patch (RFC 7396) of a candidate, but for `metadata`, which is replaced as a whole. */
@ServerSet(...SERVER_FIELDS)
@AsSent('metadata')
export class ChangeCandidate extends ChangeType(CreateCandidate) {}

@ServerSet(...SERVER_FIELDS)
@AsSent('metadata')
export class PutCandidate extends PutType(CreateCandidate) {}

class CandidateBody extends IntersectionType(
  ShownType(CreateCandidate, ['email', 'first_name', 'last_name', 'external_id', 'job_title']),
  Times,
) {
  @ApiProperty({ example: 'cand_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  id!: string;
  @ApiProperty(METADATA)
  metadata!: object;
  @ApiProperty({ type: String, nullable: true, description: 'The stage in the ATS.', example: 'Phone Screen' })
  stage!: string | null;
  @ApiProperty({
    enum: ATS_STATUSES,
    nullable: true,
    description: 'What becomes of the candidate in the ATS; null: the candidate came through no ATS connection.',
  })
  ats_status!: AtsStatus | null;
}

class CandidateListBody extends UpdatesPage(CandidateBody, 'a candidate') {}

type Sent = Pick<BridgeRequest, 'rawBody'>;

/** Returns the sent fields, with the metadata as written. @throws {InvalidFields} for metadata over 16 KiB */
function sentFields<T extends { metadata?: object | null }>(
  req: Sent,
  body: T,
): Omit<T, 'metadata'> & { metadata?: Metadata } {
  const { metadata, ...fields } = body;
  return { ...present(fields), ...(metadata === undefined ? {} : { metadata: sentMetadata(req, metadata) }) };
}

function sentMetadata({ rawBody }: Sent, value: object | null): Metadata {
  if (value === null) return NO_METADATA;
  const text = rawBody === undefined ? null : jsonMemberText(rawBody.toString(), 'metadata');
  if (text === null) throw new Error('a body with metadata was read without its bytes');
  const problem = metadataTextProblem(text);
  if (problem !== null) throw new InvalidFields([{ field: 'metadata', message: problem }]);
  return readCandidateMetadata(text, value);
}

@ApiController('candidates', { unversioned: true })
export class CandidatesController {
  constructor(
    private readonly candidates: CandidatesService,
    private readonly repository: CandidatesRepository,
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
    const filter = await this.candidates.filterOf(tenantId, options);
    const format = exportFormat(queryChoice('format', options.format, ['json', 'csv']), req.headers.accept);
    if (format === 'csv') return sendExport(res, 'csv', 'candidates', this.candidates.csvOf(tenantId, filter));
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
