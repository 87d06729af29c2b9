import { Injectable } from '@nestjs/common';
import { Database, type SqlRunner } from '../../base/database/database.js';
import { DomainEvents } from '../../base/domain-events.js';
import { InvalidFields, NotFound } from '../../base/errors/domain-error.js';
import { newId } from '../../base/ids.js';
import { EventRecorder } from '../../engine/events/event-recorder.js';
import { once, type Repeatable } from '../../tenancy/idempotency/idempotency-keys.js';
import { type Cap, demandRoom, lookForRoom } from '../../tenancy/tenants/caps.js';
import type { CandidateRow } from '../candidates/candidate.js';
import { CandidatesRepository } from '../candidates/candidates.repository.js';
import { JobsRepository } from '../jobs/jobs.repository.js';
import { completedFact, interviewFact } from './interview.dto.js';
import type { InterviewChange, InterviewFields, InterviewRow } from './interview.js';
import { changedInterview, newInterview, timeProblems, mayMove, movesFrom } from './interview.rules.js';
import {
  CandidateNotActive,
  IllegalState,
  InterviewCancelled,
  InterviewMoved,
  InterviewScheduled,
} from './interviews.errors.js';
import { InterviewsRepository } from './interviews.repository.js';
import { awaitsLink, mayBeAtEngine } from './meeting.rules.js';
import { Meetings } from './meetings.js';

const INTERVIEWS_CAP: Cap = {
  most: 1_000,
  code: 'too_many_interviews',
  whose: 'A candidate',
  what: 'interviews',
  remedy: 'they go with the candidate',
  count: `select count(*)::int as n from interviews where tenant_id = $1 and candidate_id = $2`,
  lock: `select 1 from candidates where tenant_id = $1 and id = $2 for no key update`,
};

/** Schedules and moves interviews. Each write locks the candidate, so that no interview outlives its candidate. */
@Injectable()
export class InterviewsService {
  constructor(
    private readonly db: Database,
    private readonly repository: InterviewsRepository,
    private readonly candidates: CandidatesRepository,
    private readonly jobs: JobsRepository,
    private readonly meetings: Meetings,
    private readonly events: EventRecorder,
    private readonly domainEvents: DomainEvents,
  ) {}

  /** @throws {NotFound} when the tenant has no such interview */
  async get(tenantId: string, id: string): Promise<InterviewRow> {
    const row = await this.repository.one(tenantId, id);
    if (row === undefined) throw new NotFound('interview');
    return row;
  }

  /**
   * Schedules an interview. The call to the engine is stored and repeated; the caller waits up to 3 s for its link.
   *
   * @throws {NotFound} when the tenant has no such candidate
   * @throws {InvalidFields} for times in the wrong order, or an opening that the tenant does not have
   * @throws {CandidateNotActive} when the candidate is rejected, hired or archived in the ATS
   */
  async schedule(by: Repeatable, candidateId: string, fields: InterviewFields): Promise<InterviewRow> {
    const { tenantId } = by;
    const candidate = await this.candidates.one(tenantId, candidateId);
    if (candidate === undefined) throw new NotFound('candidate');
    demandTimes(fields);
    const jobId = await this.jobOf(tenantId, fields.job_id, candidate);
    if (by.repeat?.committed === undefined) await lookForRoom(this.db, INTERVIEWS_CAP, tenantId, candidateId);
    const id = await once(this.db, by, async (tx) => {
      const id = newId('int');
      const locked = await this.repository.lockCandidate(tx, tenantId, candidateId);
      if (locked === undefined) throw new NotFound('candidate');
      if (fields.force !== true && (locked.ats_status ?? 'active') !== 'active') throw new CandidateNotActive(locked);
      await demandRoom(tx, INTERVIEWS_CAP, tenantId, candidateId);
      const meeting = await this.meetings.planned(tx, tenantId, id, fields.meeting_url ?? null);
      const made = newInterview(fields, { id, candidateId, jobId, meeting, at: new Date() });
      await this.repository.insert(tx, tenantId, made);
      await this.events.record(tx, tenantId, [interviewFact('interview.scheduled', made, locked.external_id)]);
      await this.domainEvents.publish(new InterviewScheduled(tx, tenantId, made));
      if (meeting.meeting_state === 'waiting') await this.meetings.tell(tx, tenantId, id);
      return id;
    });
    this.events.wake(tenantId, 'interview.scheduled');
    return this.withLink(tenantId, await this.get(tenantId, id));
  }

  /**
   * Changes the plan or the state of an interview. A change without effect records no event.
   *
   * @throws {NotFound} when the tenant has no such interview
   * @throws {InvalidFields} as for `schedule`
   * @throws {IllegalState} for a move that its state does not allow, or a new plan once it has begun
   */
  async change(tenantId: string, id: string, change: InterviewChange): Promise<InterviewRow> {
    const { job_id: jobId } = change;
    if (jobId != null) await this.demandJob(tenantId, jobId);
    const after = await this.db.transaction(tenantId, async (tx) => {
      const { interview: before, candidate } = await this.repository.lockInterview(tx, tenantId, id);
      const { after: changed, replanned, moved } = changedInterview(before, change, new Date());
      const isAsked = asksForLink(changed, change, replanned);
      if (replanned.length === 0 && !moved && !isAsked) return before;
      demandMove(before, changed);
      if (replanned.length > 0) demandPlan(before, replanned);
      demandTimes(changed);
      const meeting = isAsked ? await this.meetings.planned(tx, tenantId, id, null) : {};
      const next = { ...changed, ...meeting, at_engine: changed.at_engine };
      await this.repository.update(tx, tenantId, next);
      await this.tell(tx, tenantId, { before, after: next, externalId: candidate.external_id });
      if (mayBeAtEngine(before) || next.meeting_source === 'engine') await this.meetings.tell(tx, tenantId, id);
      return next;
    });
    this.events.wake(tenantId);
    return this.withLink(tenantId, after);
  }

  private async withLink(tenantId: string, row: InterviewRow): Promise<InterviewRow> {
    this.meetings.wake(tenantId);
    return awaitsLink(row) ? this.meetings.settled(tenantId, row) : row;
  }

  private async tell(
    tx: SqlRunner,
    tenantId: string,
    { before, after, externalId }: { before: InterviewRow; after: InterviewRow; externalId: string },
  ): Promise<void> {
    const moved = after.state !== before.state;
    if (after.state === 'scheduled') {
      await this.events.record(tx, tenantId, [interviewFact('interview.scheduled', after, externalId)]);
      await this.domainEvents.publish(new InterviewMoved(tx, tenantId, after));
    }
    if (moved && after.state === 'completed') {
      await this.events.record(tx, tenantId, [completedFact(after, externalId, null)]);
    }
    if (moved && after.state === 'cancelled') {
      await this.events.record(tx, tenantId, [interviewFact('interview.cancelled', after, externalId)]);
    }
    if (moved && (after.state === 'cancelled' || after.state === 'no_show')) {
      await this.domainEvents.publish(new InterviewCancelled(tx, tenantId, after));
    }
  }

  private async jobOf(
    tenantId: string,
    jobId: string | null | undefined,
    { job_opening_id: name }: CandidateRow,
  ): Promise<string | null> {
    if (jobId !== undefined) {
      if (jobId !== null) await this.demandJob(tenantId, jobId);
      return jobId;
    }
    if (name === null) return null;
    const job = (await this.jobs.byExternalId(tenantId, name)) ?? (await this.jobs.one(tenantId, name));
    return job?.id ?? null;
  }

  private async demandJob(tenantId: string, id: string): Promise<void> {
    if ((await this.jobs.one(tenantId, id)) !== undefined) return;
    throw new InvalidFields([{ field: 'job_id', message: 'is the id of no job opening' }]);
  }
}

function demandTimes(times: Pick<InterviewRow, 'starts_at' | 'ends_at'>): void {
  const problems = timeProblems(times);
  if (problems.length > 0) throw new InvalidFields(problems);
}

function demandMove(before: InterviewRow, after: InterviewRow): void {
  if (mayMove(before.state, after.state)) return;
  const allowed = movesFrom(before.state);
  const moves = allowed.length === 0 ? 'moves no more' : `moves to ${allowed.join(', ')}`;
  throw new IllegalState(before.state, `An interview that is ${before.state} ${moves}, not to ${after.state}.`);
}

function demandPlan(before: InterviewRow, replanned: readonly string[]): void {
  if (before.state === 'scheduled') return;
  throw new IllegalState(
    before.state,
    `An interview that is ${before.state} keeps its plan; these would change: ${replanned.join(', ')}.`,
  );
}

/** A new plan of an interview without a link asks for one, and null in place of the caller's own link or of none. */
function asksForLink(after: InterviewRow, change: InterviewChange, replanned: readonly string[]): boolean {
  if (after.state !== 'scheduled' || after.meeting_url !== null) return false;
  return replanned.length > 0 || (change.meeting_url === null && after.meeting_state !== 'waiting');
}
