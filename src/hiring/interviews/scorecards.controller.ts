import { Body, Get, Param, Put, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { InvalidFields } from '../../base/errors/domain-error.js';
import { ApiFilter, ApiRefusals } from '../../base/http/api-answers.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeResponse } from '../../base/http/request.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import type { ScorecardContent } from './interview.js';
import { scorecardBody } from './interview.mapping.js';
import { PutScorecard, ScorecardBody } from './scorecard.dto.js';
import { ScorecardsService } from './scorecards.service.js';

/** The scorecard of an interview. */
@ApiController('interviews', { tag: 'interviews' })
export class ScorecardsController {
  constructor(private readonly scorecards: ScorecardsService) {}

  @Put(':id/scorecard')
  @RequireScope('interviews:write')
  @ApiOperation({
    summary:
      'Completes an interview with its scorecard, or adds a version (201); the newest again changes nothing (200)',
    description:
      'For a candidate of an ATS the scorecard is written to its profile there, as the connection says. A further version names the one that it replaces.',
  })
  @ApiOkResponse({ type: ScorecardBody })
  @ApiCreatedResponse({ type: ScorecardBody })
  @ApiRefusals({ 409: ['illegal_state', 'scorecard_version', 'changed_meanwhile'] })
  async put(
    @CurrentCaller() { tenantId }: Caller,
    @Param('id') id: string,
    @Body() body: PutScorecard,
    @Res({ passthrough: true }) res: BridgeResponse,
  ): Promise<ScorecardBody> {
    const { row, created } = await this.scorecards.put(tenantId, id, contentOf(body), body.version ?? null);
    res.status(created ? 201 : 200);
    return scorecardBody(row);
  }

  @Get(':id/scorecard')
  @RequireScope('interviews:read')
  @ApiOperation({ summary: 'The scorecard of an interview: the newest version, or an older one' })
  @ApiFilter('version', 'The version of the scorecard; the newest when left out.', {
    schema: { type: 'integer', minimum: 1 },
  })
  @ApiOkResponse({ type: ScorecardBody })
  @ApiRefusals()
  async get(
    @CurrentCaller() { tenantId }: Caller,
    @Param('id') id: string,
    @Query() query: QueryMap,
  ): Promise<ScorecardBody> {
    const { version } = queryOptions(query, ['version']);
    if (version !== undefined && !/^[1-9]\d{0,6}$/.test(version)) {
      throw new InvalidFields([{ field: 'version', message: 'must be a whole number from 1' }]);
    }
    return scorecardBody(await this.scorecards.get(tenantId, id, version === undefined ? null : Number(version)));
  }
}

/** One form for equal scorecards, in which they can be compared. */
function contentOf({ overall, recommendation, summary, criteria, link }: PutScorecard): ScorecardContent {
  return {
    overall: overall ?? null,
    recommendation: recommendation ?? null,
    summary: summary ?? null,
    criteria: (criteria ?? []).map(({ name, score, scale, evidence }) => ({
      name,
      score: score ?? null,
      scale: scale ? { min: scale.min, max: scale.max } : null,
      evidence: evidence ?? null,
    })),
    link: link ?? null,
  };
}
