import { Injectable } from '@nestjs/common';
import { Database } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import { EventRecorder } from '../../engine/events/event-recorder.js';
import { CandidateLock } from './candidate-lock.js';
import type { ScorecardContent, ScorecardRow } from './interview.js';
import { completedFact } from './interview.mapping.js';
import { takesScorecard } from './interview-state.rules.js';
import { IllegalState, ScorecardVersionConflict } from './interviews.errors.js';
import { ScorecardPut } from './interviews.events.js';
import { InterviewsRepository } from './interviews.repository.js';
import { scorecardProblems, versionOf } from './scorecard.rules.js';

/** The scorecards of interviews: versions, of which the newest counts. */
@Injectable()
export class ScorecardsService {
  constructor(
    private readonly db: Database,
    private readonly repository: InterviewsRepository,
    private readonly lock: CandidateLock,
    private readonly events: EventRecorder,
    private readonly domainEvents: DomainEvents,
  ) {}

  /**
   * Returns a version of a scorecard.
   *
   * @param version null: the newest
   * @throws {NotFound} when there is no such interview or version
   */
  async get(tenantId: string, id: string, version: number | null): Promise<ScorecardRow> {
    if ((await this.repository.one(tenantId, id)) === undefined) throw new NotFound('interview');
    const row = await this.repository.scorecard(tenantId, id, version);
    if (row === undefined) throw new NotFound('scorecard');
    return row;
  }

  /**
   * Stores a scorecard, which completes its interview; of a completed one it is a further version.
   *
   * @param version the one that the caller names, if any
   * @throws {NotFound} when there is no such interview
   * @throws {InvalidFields} for a score beside its scale, or a scorecard that says nothing or too much
   * @throws {IllegalState} when the interview did not take place
   * @throws {ScorecardVersionConflict} when the version that was named is not the next one
   */
  async put(
    tenantId: string,
    id: string,
    content: ScorecardContent,
    version: number | null,
  ): Promise<{ row: ScorecardRow; created: boolean }> {
    const result = await this.db.transaction(tenantId, async (tx) => {
      const { interview, candidate } = await this.lock.interview(tx, tenantId, id);
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
