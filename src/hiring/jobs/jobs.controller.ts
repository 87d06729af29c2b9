import { Body, Delete, Get, HttpCode, Param, Put, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { ApiFilter, ApiPaging, ApiRefusals } from '../../base/http/api-answers.js';
import { demandSame, externalIdIn } from '../../base/http/fields.js';
import { pageOf, PAGE_OPTIONS, readPage } from '../../base/http/page.js';
import { queryChoice, queryOptions, queryTime, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeResponse } from '../../base/http/request.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { JobBody, JobListBody, PutJob, jobBody } from './job.dto.js';
import { JOB_STATUSES } from './job.js';
import { JobsRepository } from './jobs.repository.js';
import { JobsService } from './jobs.service.js';

const FILTERS = ['status', 'external_id', 'ats', 'updated_since'] as const;

@ApiController('jobs', { unversioned: true })
export class JobsController {
  constructor(
    private readonly jobs: JobsService,
    private readonly repository: JobsRepository,
  ) {}

  @Get()
  @RequireScope('jobs:read')
  @ApiOperation({ summary: 'Job openings, newest first' })
  @ApiFilter('status', 'Only job openings with this status.', { enum: JOB_STATUSES })
  @ApiFilter('external_id', 'Only the job opening with this `external_id`, with regard to case.')
  @ApiFilter('ats', 'Only job openings of this ATS, with regard to case.')
  @ApiFilter(
    'updated_since',
    'Only job openings changed since this moment: `next_updated_since` of the last call.',
    'date-time',
  )
  @ApiPaging()
  @ApiOkResponse({ type: JobListBody })
  @ApiRefusals()
  async list(@CurrentCaller() caller: Caller, @Query() query: QueryMap): Promise<JobListBody> {
    const options = queryOptions(query, [...FILTERS, ...PAGE_OPTIONS]);
    const filter = {
      status: queryChoice('status', options.status, JOB_STATUSES),
      external_id: options.external_id,
      ats: options.ats,
      updated_since: queryTime('updated_since', options.updated_since),
    };
    const page = readPage(query, `jobs ${FILTERS.map((name) => options[name] ?? '').join(' ')}`);
    const next = await this.repository.nextUpdatedSince(caller.tenantId);
    const rows = await this.repository.list(caller.tenantId, filter, page);
    return { ...pageOf(page, rows, (row) => row.id, jobBody), next_updated_since: next };
  }

  @Put('by-external-id/:external_id')
  @RequireScope('jobs:write')
  @ApiOperation({
    summary: 'Creates (201) or updates (200) the job opening with this external_id',
    description: 'Fields that are left out stay as they are; null empties a field.',
  })
  @ApiOkResponse({ type: JobBody })
  @ApiCreatedResponse({ type: JobBody })
  @ApiRefusals({ 404: [], 409: ['managed_by_ats'] })
  async put(
    @CurrentCaller() caller: Caller,
    @Param('external_id') inAddress: string,
    @Body() body: PutJob,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<JobBody> {
    const externalId = externalIdIn(inAddress);
    const { external_id: sent, ...fields } = body;
    demandSame(sent, externalId);
    const { row, created } = await this.jobs.put(caller.tenantId, externalId, fields);
    res.status(created ? 201 : 200);
    return jobBody(row);
  }

  @Get(':id')
  @RequireScope('jobs:read')
  @ApiOperation({ summary: 'One job opening' })
  @ApiOkResponse({ type: JobBody })
  @ApiRefusals()
  async get(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<JobBody> {
    return jobBody(await this.jobs.get(caller.tenantId, id));
  }

  @Delete(':id')
  @HttpCode(204)
  @RequireScope('jobs:write')
  @ApiOperation({
    summary: 'Closes a job opening',
    description: 'The opening stays, with the status `closed`. Closing it again changes nothing.',
  })
  @ApiNoContentResponse()
  @ApiRefusals({ 409: ['managed_by_ats'] })
  close(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<void> {
    return this.jobs.close(caller.tenantId, id);
  }
}
