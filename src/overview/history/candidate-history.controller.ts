import { Get, Param, Query } from '@nestjs/common';
import { ApiOperation } from '@nestjs/swagger';
import { ApiPage, ApiRefusals } from '../../base/http/api-answers.js';
import { PAGE_OPTIONS, readPage, type Page } from '../../base/http/page.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { CandidateEntryBody } from './candidate-history.dto.js';
import { CandidateHistoryService } from './candidate-history.service.js';

/** The history of a candidate. */
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
