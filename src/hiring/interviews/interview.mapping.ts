import type { InterviewData, ScorecardSummary } from '../../engine/events/catalogue/recruiting.js';
import { type RecordedFact, thinIfLarge } from '../../engine/events/event-recorder.js';
import type { InterviewBody } from './interview.dto.js';
import type { InterviewRow, ScorecardRow } from './interview.js';
import { meetingReason, shownMeetingState } from './meeting.rules.js';
import type { ScorecardBody } from './scorecard.dto.js';

/** Returns an interview as the API shows it. */
export function interviewBody(row: InterviewRow): InterviewBody {
  const { meeting_detail: _, at_engine: __, sequence: ___, created_at, updated_at, ...shown } = row;
  return {
    ...shown,
    meeting_state: shownMeetingState(row),
    starts_at: row.starts_at.toISOString(),
    ends_at: row.ends_at.toISOString(),
    meeting_reason: meetingReason(row),
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

/** Returns a scorecard as the API shows it. */
export function scorecardBody({ interview_id, version, content, created_at }: ScorecardRow): ScorecardBody {
  return { interview_id, version, ...content, created_at: created_at.toISOString() };
}

/** Returns the event of an interview that is scheduled, moved or cancelled. */
export function interviewFact(
  event: 'interview.scheduled' | 'interview.cancelled',
  row: InterviewRow,
  candidateExternalId: string,
): RecordedFact {
  return fact(event, row, dataOf(row, candidateExternalId));
}

/** Returns the event of a completed interview. Its scorecard is null where it was completed without one. */
export function completedFact(
  row: InterviewRow,
  candidateExternalId: string,
  scorecard: ScorecardRow | null,
): RecordedFact {
  const { sequence, ...interview } = dataOf(row, candidateExternalId);
  // The sequence stays last: what is erased is cut before it.
  const data = { ...interview, scorecard: scorecard === null ? null : summaryOf(scorecard), sequence };
  return fact('interview.completed', row, data);
}

function fact(event: RecordedFact['event'], { id, sequence }: InterviewRow, data: object): RecordedFact {
  return { event, record: id, data: thinIfLarge(event, JSON.stringify(data), { id, sequence }) };
}

function dataOf(row: InterviewRow, candidateExternalId: string): InterviewData {
  const { id, candidate_id, ...rest } = interviewBody(row);
  return { id, candidate_id, candidate_external_id: candidateExternalId, ...rest, sequence: row.sequence };
}

function summaryOf({ version, content }: ScorecardRow): ScorecardSummary {
  const { overall, recommendation, summary, link } = content;
  return { version, overall, recommendation, summary, link };
}
