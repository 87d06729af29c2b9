import { Injectable, Body, Get, Param, Put, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation } from '@nestjs/swagger';
import { Database } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import { ApiFilter, ApiRefusals } from '../../base/http/api-answers.js';
import { queryOptions, type Query as QueryMap } from '../../base/http/query.js';
import type { BridgeResponse } from '../../base/http/request.js';
import { EventRecorder } from '../../engine/events/event-recorder.js';
import { ApiController } from '../../tenancy/tenants/api-key.guard.js';
import { CurrentCaller, RequireScope, type Caller } from '../../tenancy/tenants/caller.js';
import { completedFact, scorecardBody } from './interview.dto.js';
import type { ScorecardContent, ScorecardRow } from './interview.js';
import { takesScorecard, scorecardProblems, versionOf } from './interview.rules.js';
import { IllegalState, ScorecardVersionConflict, ScorecardPut } from './interviews.errors.js';
import { InterviewsRepository } from './interviews.repository.js';
import { PutScorecard, ScorecardBody } from './scorecard.dto.js';

/** The scorecards of interviews: versions, of which the newest counts. */
@Injectable()
export class ScorecardsService {
  constructor(
    private readonly db: Database,
    private readonly repository: InterviewsRepository,
    private readonly events: EventRecorder,
    private readonly domainEvents: DomainEvents,
  ) {}

  async get(tenantId: string, id: string, version: number | null): Promise<ScorecardRow> {
    if ((await this.repository.one(tenantId, id)) === undefined) throw new NotFound('interview');
    const row = await this.repository.scorecard(tenantId, id, version);
    if (row === undefined) throw new NotFound('scorecard');
    return row;
  }

  /**
   * Stores a scorecard, which completes its interview; for a completed interview it is a further version.
   *
   * @param version the one that the caller names, if any
   * @throws {NotFound} when there is no such interview
   * @throws {InvalidFields} for a score outside its scale, or a scorecard that is empty or too large
   * @throws {IllegalState} when the interview did not take place
   * @throws {ScorecardVersionConflict} when the named version is not the next one
   */
  async put(
    tenantId: string,
    id: string,
    content: ScorecardContent,
    version: number | null,
  ): Promise<{ row: ScorecardRow; created: boolean }> {
    const result = await this.db.transaction(tenantId, async (tx) => {
      const { interview, candidate } = await this.repository.lockInterview(tx, tenantId, id);
      const problems = scorecardProblems(content);
      if (problems.length > 0) throw new InvalidFields(problems);
      if (!takesScorecard(interview.state)) {
        throw new IllegalState(interview.state, `An interview that is ${interview.state} takes no scorecard.`);
      }
      const newest = await this.repository.scorecard(tenantId, id, null, tx);
      const verdict = versionOf(content, version, newest);
      if (verdict.kind === 'conflict') throw new ScorecardVersionConflict(verdict.next);
      if (verdict.kind === 'same') return { row: newest!, created: false };
      const at = new Date();
      const row: ScorecardRow = { interview_id: id, version: verdict.version, content, created_at: at };
      const after = { ...interview, state: 'completed' as const, sequence: interview.sequence + 1, updated_at: at };
      await this.repository.insertScorecard(tx, tenantId, row);
      await this.repository.update(tx, tenantId, after);
      await this.events.record(tx, tenantId, [completedFact(after, candidate.external_id, row)]);
      await this.domainEvents.publish(new ScorecardPut(tx, tenantId, after, row));
      return { row, created: true };
    });
    if (result.created) this.events.wake(tenantId, 'interview.completed');
    return result;
  }
}

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
