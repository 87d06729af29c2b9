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
      return this.interviews.noteWaiting(tenantId, id, result.detail || result.reason);
    }
    try {
      await this.db.transaction(tenantId, async (tx) => {
        const { interview: before, candidate } = await this.lock.interview(tx, tenantId, id);
        const after = noted(before, kind, result);
        if (after === null) return;
        await this.interviews.update(tx, tenantId, after);
        if (after.sequence === before.sequence || after.state !== 'scheduled') return;
        await this.events.record(tx, tenantId, [interviewFact('interview.scheduled', after, candidate.external_id)]);
        await this.domainEvents.publish(new InterviewMoved(tx, tenantId, after));
      });
    } catch (error) {
      if (error instanceof NotFound || error instanceof Conflict) return;
      throw error;
    }
    this.events.wake(tenantId, 'interview.scheduled');
  }
}

/** Returns the interview after the answer; null: nothing of it changes. Only another link or state counts as a change. */
function noted(before: InterviewRow, kind: EngineCall['kind'], result: EngineResult): InterviewRow | null {
  if (kind === 'cancel') return before.at_engine ? { ...before, at_engine: false } : null;
  const isOurs = before.meeting_source === 'engine';
  if (result.kind === 'link') {
    const taken = { ...before, at_engine: true };
    const isNews = isOurs && (before.meeting_url !== result.url || before.meeting_state !== 'ready');
    if (!isNews) return before.at_engine ? null : taken;
    return next({ ...taken, meeting_url: result.url, meeting_state: 'ready', meeting_detail: null });
  }
  if (result.kind === 'refused' && isOurs) {
    // A link that is there stays: the engine refused a change of it.
    if (before.meeting_url !== null) return { ...before, meeting_detail: result.detail };
    return next({ ...before, meeting_state: 'failed', meeting_detail: result.detail });
  }
  return null;
}

function next(row: InterviewRow): InterviewRow {
  return { ...row, sequence: row.sequence + 1, updated_at: new Date() };
}
