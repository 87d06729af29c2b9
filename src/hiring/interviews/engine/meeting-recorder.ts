import { Injectable } from '@nestjs/common';
import { Database } from '../../../base/database/database.js';
import { DomainEvents } from '../../../base/domain-events.js';
import { Conflict, NotFound } from '../../../base/errors/domain-error.js';
import { EventRecorder } from '../../../engine/events/event-recorder.js';
import { CandidateLock } from '../candidate-lock.js';
import type { InterviewRow } from '../interview.js';
import { interviewFact } from '../interview.mapping.js';
import { InterviewMoved } from '../interviews.events.js';
import { InterviewsRepository } from '../interviews.repository.js';
import type { EngineCall, EngineResult } from './engine-call.rules.js';

/** What came of an interview, or of its new plan, that the engine did not take. */
const REFUSALS = {
  refused: {
    made: 'The interview engine refused the interview.',
    moved: 'The interview engine refused the last plan: the room is still at the former time.',
  },
  unusable: {
    made: 'The interview engine gave a link that cannot be used.',
    moved: 'The interview engine answered the last plan with a link that cannot be used: the former link stays.',
  },
} as const;

/** Notes in an interview what its engine has answered. A new link is sent to the ATS and to webhooks. */
@Injectable()
export class MeetingRecorder {
  constructor(
    private readonly db: Database,
    private readonly interviews: InterviewsRepository,
    private readonly lock: CandidateLock,
    private readonly events: EventRecorder,
    private readonly domainEvents: DomainEvents,
  ) {}

  /** Notes the result of a call. Nothing is noted of an interview that was removed meanwhile. */
  async note(tenantId: string, id: string, kind: EngineCall['kind'], result: EngineResult): Promise<void> {
    if (result.kind === 'again' || result.kind === 'stopped') {
      return this.interviews.noteWaiting(tenantId, id, result.detail);
    }
    try {
      await this.db.transaction(tenantId, async (tx) => {
        const { interview: before, candidate } = await this.lock.interview(tx, tenantId, id);
        const after = noted(before, kind, result);
        if (after === null) return;
        await this.interviews.update(tx, tenantId, after);
        const isAhead = after.state === 'scheduled' || after.state === 'in_progress';
        if (after.sequence === before.sequence || !isAhead) return;
        await this.events.record(tx, tenantId, [interviewFact('interview.scheduled', after, candidate.external_id)]);
        if (after.meeting_url !== before.meeting_url || after.meeting_state !== before.meeting_state) {
          await this.domainEvents.publish(new InterviewMoved(tx, tenantId, after));
        }
      });
    } catch (error) {
      if (error instanceof NotFound || error instanceof Conflict) return;
      throw error;
    }
    this.events.wake(tenantId, 'interview.scheduled');
  }
}

/** Returns the interview after the answer; null: nothing of it changes. Another link, state or reason counts as a change. */
function noted(before: InterviewRow, kind: EngineCall['kind'], result: EngineResult): InterviewRow | null {
  if (kind === 'cancel') return before.at_engine ? { ...before, at_engine: false } : null;
  const isOurs = before.meeting_source === 'engine';
  if (result.kind === 'link') {
    const taken = { ...before, at_engine: true };
    const isNews =
      isOurs &&
      (before.meeting_url !== result.url || before.meeting_state !== 'ready' || before.meeting_detail !== null);
    if (!isNews) return before.at_engine ? null : taken;
    return next({ ...taken, meeting_url: result.url, meeting_state: 'ready', meeting_detail: null });
  }
  if ((result.kind === 'refused' || result.kind === 'unusable') && isOurs) {
    const meeting_detail = `${REFUSALS[result.kind][before.meeting_url === null ? 'made' : 'moved']} ${result.detail}`;
    // A link that is there stays: the engine refused a change of it.
    if (before.meeting_url === null) return next({ ...before, meeting_state: 'failed', meeting_detail });
    return before.meeting_detail === meeting_detail ? null : next({ ...before, meeting_detail });
  }
  if (result.kind === 'taken' && isOurs && before.meeting_state === 'ready' && before.meeting_detail !== null) {
    return next({ ...before, meeting_detail: null });
  }
  return null;
}

function next(row: InterviewRow): InterviewRow {
  return { ...row, sequence: row.sequence + 1, updated_at: new Date() };
}
