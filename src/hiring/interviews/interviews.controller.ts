import { Body, Get, HttpCode, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import type { CutRows } from '../../base/database/byte-cut.js';
import { NotFound } from '../../base/errors/domain-error.js';
import { sendJson } from '../../base/http/answer.js';
import { ApiFilter, ApiPaging, ApiRefusals } from '../../base/http/api-answers.js';
import { csvLine, exportFormat, sendExport } from '../../base/http/export.js';
import { type PageRequest, pageOf, PAGE_OPTIONS, readPage } from '../../base/http/page.js';
import { queryChoice, queryOptions, queryTime, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeRequest, BridgeResponse } from '../../base/http/request.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { CandidatesRepository } from '../candidates/candidates.repository.js';
import {
  InterviewBody,
  interviewBody,
  ChangeInterview,
  InterviewListBody,
  ScheduleInterview,
} from './interview.dto.js';
import { type InterviewRow, INTERVIEW_STATES } from './interview.js';
import { InterviewsRepository, type InterviewFilter } from './interviews.repository.js';
import { InterviewsService } from './interviews.service.js';

const PAGE = 200;
const COLUMNS = [
  'id',
  'candidate_id',
  'job_id',
  'state',
  'starts_at',
  'ends_at',
  'time_zone',
  'interviewers',
  'meeting_url',
  'meeting_source',
  'meeting_state',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof InterviewBody)[];

async function* interviewsCsv(pages: (page: PageRequest) => Promise<CutRows<InterviewRow>>): AsyncGenerator<string> {
  yield csvLine(COLUMNS);
  for (let after: string | null = null; ;) {
    const { rows } = await pages({ list: 'interviews', after, limit: PAGE });
    const page: InterviewRow[] = rows.slice(0, PAGE);
    if (page.length === 0) return;
    yield page.map((row) => csvLine(cellsOf(interviewBody(row)))).join('');
    after = page.at(-1)!.id;
  }
}

function cellsOf(body: InterviewBody): unknown[] {
  return COLUMNS.map((name) => (name === 'interviewers' ? body.interviewers.join('; ') : body[name]));
}

const OF_CANDIDATE = ['state', 'job_id', 'updated_since'] as const;
const FILTERS = [...OF_CANDIDATE, 'candidate_id'] as const;

@ApiController('candidates', { tag: 'interviews' })
export class CandidateInterviewsController {
  constructor(
    private readonly interviews: InterviewsService,
    private readonly repository: InterviewsRepository,
    private readonly candidates: CandidatesRepository,
  ) {}

  @Post(':id/interviews')
  @HttpCode(201)
  @RequireScope('interviews:write')
  @ApiOperation({
    summary: 'Schedules an interview of a candidate',
    description:
      'The answer has the meeting link: your `meeting_url`, or that of the interview engine of the tenant. Without both it is ' +
      'null, and `meeting_reason` says why. For a candidate of an ATS the link is written to its profile there, as the connection says.',
  })
  @ApiCreatedResponse({ type: InterviewBody })
  @ApiRefusals({ 409: ['too_many_interviews', 'candidate_not_active'] })
  async schedule(
    @CurrentCaller() caller: Caller,
    @Param('id') candidateId: string,
    @Body() body: ScheduleInterview,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<InterviewBody> {
    const row = await this.interviews.schedule(caller, candidateId, body);
    res.setHeader('Location', `/api/v1/interviews/${row.id}`);
    return interviewBody(row);
  }

  @Get(':id/interviews')
  @RequireScope('interviews:read')
  @ApiOperation({ summary: 'The interviews of a candidate, newest first' })
  @ApiFilter('state', 'Only interviews in this state.', { enum: INTERVIEW_STATES })
  @ApiFilter('job_id')
  @ApiFilter(
    'updated_since',
    'Only interviews changed since this moment: `next_updated_since` of the last call.',
    'date-time',
  )
  @ApiPaging()
  @ApiOkResponse({ type: InterviewListBody })
  @ApiRefusals()
  async list(
    @CurrentCaller() { tenantId }: Caller,
    @Param('id') candidateId: string,
    @Query() query: QueryMap,
  ): Promise<InterviewListBody> {
    const options = queryOptions(query, [...OF_CANDIDATE, ...PAGE_OPTIONS]);
    if ((await this.candidates.one(tenantId, candidateId)) === undefined) throw new NotFound('candidate');
    return listed(this.repository, tenantId, query, { ...options, candidate_id: candidateId });
  }
}

@ApiController('interviews')
export class InterviewsController {
  constructor(
    private readonly interviews: InterviewsService,
    private readonly repository: InterviewsRepository,
  ) {}

  @Get()
  @RequireScope('interviews:read')
  @ApiOperation({ summary: 'Interviews, newest first; `format=csv` for all of them' })
  @ApiFilter('candidate_id')
  @ApiFilter('state', 'Only interviews in this state.', { enum: INTERVIEW_STATES })
  @ApiFilter('job_id')
  @ApiFilter(
    'updated_since',
    'Only interviews changed since this moment: `next_updated_since` of the last call.',
    'date-time',
  )
  @ApiFilter('format', undefined, { enum: ['json', 'csv'] })
  @ApiPaging()
  @ApiOkResponse({ type: InterviewListBody })
  @ApiRefusals()
  async list(
    @CurrentCaller() { tenantId }: Caller,
    @Query() query: QueryMap,
    @Req() req: BridgeRequest,
    @Res() res: BridgeResponse,
  ): Promise<void> {
    const options = queryOptions(query, [...FILTERS, 'format', ...PAGE_OPTIONS]);
    const format = exportFormat(queryChoice('format', options.format, ['json', 'csv']), req.headers.accept);
    if (format === 'csv') {
      const pages = (page: PageRequest) => this.repository.list(tenantId, filterOf(options), page);
      return sendExport(res, 'csv', 'interviews', interviewsCsv(pages));
    }
    sendJson(res, 200, JSON.stringify(await listed(this.repository, tenantId, query, options)));
  }

  @Get(':id')
  @RequireScope('interviews:read')
  @ApiOperation({ summary: 'One interview' })
  @ApiOkResponse({ type: InterviewBody })
  @ApiRefusals()
  async get(@CurrentCaller() { tenantId }: Caller, @Param('id') id: string): Promise<InterviewBody> {
    return interviewBody(await this.interviews.get(tenantId, id));
  }

  @Patch(':id')
  @RequireScope('interviews:write')
  @ApiOperation({
    summary: 'Moves an interview: its times, interviewers, opening or state (JSON merge patch)',
    description:
      'A move that its state does not allow is 409 `illegal_state`; `allowed` names the states that it can move to. A scorecard completes it as well.',
  })
  @ApiOkResponse({ type: InterviewBody })
  @ApiRefusals({ 409: ['illegal_state', 'changed_meanwhile'] })
  async change(
    @CurrentCaller() { tenantId }: Caller,
    @Param('id') id: string,
    @Body() body: ChangeInterview,
  ): Promise<InterviewBody> {
    return interviewBody(await this.interviews.change(tenantId, id, body));
  }
}

async function listed(
  repository: InterviewsRepository,
  tenantId: string,
  query: QueryMap,
  options: Partial<Record<(typeof FILTERS)[number], string>>,
): Promise<InterviewListBody> {
  const filter = filterOf(options);
  const page = readPage(query, `interviews ${FILTERS.map((name) => options[name] ?? '').join(' ')}`);
  const next = await repository.nextUpdatedSince(tenantId);
  const rows = await repository.list(tenantId, filter, page);
  return { ...pageOf(page, rows, (row) => row.id, interviewBody), next_updated_since: next };
}

function filterOf(options: Partial<Record<(typeof FILTERS)[number], string>>): InterviewFilter {
  return {
    candidate_id: options.candidate_id,
    job_id: options.job_id,
    state: queryChoice('state', options.state, INTERVIEW_STATES),
    updated_since: queryTime('updated_since', options.updated_since),
  };
}
