import { ApiProperty, IntersectionType, OmitType } from '@nestjs/swagger';
import { Choice, Flag, Moment, Ruled, Text } from '../../base/http/fields.js';
import { ChangeType, ShownType, Times, UpdatesPage } from '../../base/http/shown.js';
import { ServerSet } from '../../base/http/validate.js';
import type { InterviewData, ScorecardSummary } from '../../engine/events/catalogue/recruiting.js';
import { type RecordedFact, thinIfLarge } from '../../engine/events/event-recorder.js';
import {
  INTERVIEW_STATES,
  MEETING_SOURCES,
  MEETING_STATES,
  type InterviewState,
  type MeetingSource,
  type MeetingState,
  type InterviewRow,
  type ScorecardRow,
} from './interview.js';
import { interviewersProblem, timeZoneProblem } from './interview.rules.js';
import { meetingUrlProblem, meetingReason, shownMeetingState } from './meeting.rules.js';
import type { ScorecardBody } from './scorecard.dto.js';

const SERVER_FIELDS = [
  'id',
  'candidate_id',
  'meeting_source',
  'meeting_state',
  'meeting_reason',
  'created_at',
  'updated_at',
] as const;

const ZONE = {
  type: String,
  example: 'Europe/Zurich',
  description: 'A name of the IANA time zone database, for calendars.',
};
const INTERVIEWERS = {
  type: String,
  isArray: true,
  maxItems: 20,
  example: ['Ada Lovelace <ada@example.com>'],
  description: 'Names or e-mail addresses, each once.',
} as const;

const MEETING = { type: String, format: 'uri', maxLength: 2_000, example: 'https://meet.example.com/abc-defg-hij' };

@ServerSet(...SERVER_FIELDS, 'state')
export class ScheduleInterview {
  @Moment({ example: '2026-03-05T13:00:00Z' })
  starts_at!: Date;
  @Moment({ example: '2026-03-05T13:45:00Z', description: 'After `starts_at`, by at most 24 hours.' })
  ends_at!: Date;
  @Ruled(timeZoneProblem, ZONE, { optional: true, nullable: true })
  time_zone?: string | null;
  @Ruled(interviewersProblem, INTERVIEWERS, { optional: true })
  interviewers?: string[];
  @Text({
    max: 255,
    optional: true,
    nullable: true,
    description:
      'The id of an opening; null: none. Left out of a new interview: the one that `metadata.job_opening_id` of the candidate names.',
    example: 'job_01jd0q4m8k7v2y9wq3x5c6z8ab',
  })
  job_id?: string | null;
  @Ruled(meetingUrlProblem, MEETING, {
    optional: true,
    nullable: true,
    description:
      'Where the interview takes place. Sent: your own link. null takes it back, and asks the interview engine of the tenant for a link.',
  })
  meeting_url?: string | null;
  @Flag({ optional: true, description: 'Also for a candidate who is rejected, hired or archived in the ATS.' })
  force?: boolean;
}

/** A JSON merge patch (RFC 7396) of an interview. Times, interviewers and opening change while it is scheduled. */
@ServerSet(...SERVER_FIELDS)
export class ChangeInterview extends ChangeType(OmitType(ScheduleInterview, ['force'])) {
  @Choice(INTERVIEW_STATES, {
    optional: true,
    description:
      '`scheduled` moves to `in_progress`, `cancelled` or `no_show`; `in_progress` to `completed`, `cancelled` or `no_show`.',
  })
  state?: InterviewState;
}

const SHOWN = ['job_id', 'starts_at', 'ends_at', 'time_zone', 'interviewers', 'meeting_url'] as const;

/** An interview as this API shows it. */
export class InterviewBody extends IntersectionType(ShownType(ScheduleInterview, SHOWN), Times) {
  @ApiProperty({ example: 'int_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  id!: string;
  @ApiProperty({ example: 'cand_01jd0q4m8k7v2y9wq3x5c6z8ab' })
  candidate_id!: string;
  @ApiProperty({ enum: INTERVIEW_STATES })
  state!: InterviewState;
  @ApiProperty({
    enum: MEETING_SOURCES,
    nullable: true,
    description: 'Where the link comes from; null: there is none.',
  })
  meeting_source!: MeetingSource | null;
  @ApiProperty({
    enum: MEETING_STATES,
    description:
      '`ready`: the link is there; with a `meeting_reason`, the meeting has a former plan. `waiting`: the engine has given no link ' +
      'yet, and is asked again. `failed`: the engine refused the interview, or its link cannot be used. `none`: there is no ' +
      'engine, and no link was sent, or the interview is over. Without a link nothing is written to the ATS.',
  })
  meeting_state!: MeetingState;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Why there is no link, or why the engine keeps a former plan, with its words and what to do; null: the meeting is as planned.',
  })
  meeting_reason!: string | null;
}

export class InterviewListBody extends UpdatesPage(InterviewBody, 'an interview') {}

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

export function scorecardBody({ interview_id, version, content, created_at }: ScorecardRow): ScorecardBody {
  return { interview_id, version, ...content, created_at: created_at.toISOString() };
}

export function interviewFact(
  event: 'interview.scheduled' | 'interview.cancelled',
  row: InterviewRow,
  candidateExternalId: string,
): RecordedFact {
  return fact(event, row, dataOf(row, candidateExternalId));
}

/** The event of a completed interview; `scorecard` is null when it was completed without one. */
export function completedFact(
  row: InterviewRow,
  candidateExternalId: string,
  scorecard: ScorecardRow | null,
): RecordedFact {
  const { sequence, ...interview } = dataOf(row, candidateExternalId);
  // The sequence stays last: erased data is cut before it.
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
