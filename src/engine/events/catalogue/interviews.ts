import {
  count,
  kinds,
  list,
  object,
  record,
  type Schema,
  text,
  textOrNull,
  time,
  type ValueOf,
  words,
} from './kind.js';

/** An interview as the API shows it, with the candidate's id in the ATS. */
const INTERVIEW = {
  id: text,
  candidate_id: text,
  candidate_external_id: textOrNull,
  job_id: textOrNull,
  state: words('scheduled', 'in_progress', 'completed', 'cancelled', 'no_show'),
  starts_at: time,
  ends_at: time,
  time_zone: textOrNull,
  interviewers: list(text),
  meeting_url: textOrNull,
  meeting_source: words('caller', 'engine', 'sandbox', null),
  meeting_state: words('ready', 'waiting', 'failed', 'none'),
  meeting_reason: textOrNull,
  created_at: time,
  updated_at: time,
  sequence: count,
};

const interview = object(INTERVIEW);

/** The data of the events about interviews. */
export type InterviewData = ValueOf<typeof interview>;

const version: Schema<number> = { type: 'integer', minimum: 1 };
const overall: Schema<number | null> = { type: ['number', 'null'] };

/** What an event has of a scorecard; the rest of it is read by its link. */
const scorecard = object({
  version,
  overall,
  recommendation: textOrNull,
  summary: textOrNull,
  link: textOrNull,
});

/** What an event has of a scorecard. */
export type ScorecardSummary = ValueOf<typeof scorecard>;

/** Null: the interview was completed without one. */
const scorecardOrNull: Schema<ScorecardSummary | null> = { anyOf: [scorecard, { type: 'null' }] };

const EXAMPLE: InterviewData = {
  id: 'int_01k0000000abcdefghjkmnpqrs',
  candidate_id: 'cand_01k0000000abcdefghjkmnpqrs',
  candidate_external_id: 'zr_480912000001234567',
  job_id: 'job_01k0000000abcdefghjkmnpqrs',
  state: 'scheduled',
  starts_at: '2026-03-05T13:00:00.000Z',
  ends_at: '2026-03-05T13:45:00.000Z',
  time_zone: 'Europe/Zurich',
  interviewers: ['Ada Lovelace <ada@example.com>'],
  meeting_url: 'https://meet.example.com/abc-defg-hij',
  meeting_source: 'engine',
  meeting_state: 'ready',
  meeting_reason: null,
  created_at: '2026-03-02T09:20:00.000Z',
  updated_at: '2026-03-02T09:20:00.000Z',
  sequence: 1,
};

/** The events about interviews. */
export const INTERVIEW_EVENTS = kinds({
  'interview.scheduled': {
    severity: 'info',
    runbook: 'No action: an interview is scheduled or was moved; the meeting link is in `data`.',
    schema: record(interview),
    example: EXAMPLE,
  },
  'interview.completed': {
    severity: 'info',
    runbook:
      'No action: the scorecard is ready; a higher `version` replaces an earlier one. Without a scorecard it is null.',
    schema: record(object({ ...INTERVIEW, scorecard: scorecardOrNull })),
    example: {
      ...EXAMPLE,
      state: 'completed',
      updated_at: '2026-03-05T13:44:10.000Z',
      sequence: 3,
      scorecard: {
        version: 1,
        overall: 4.2,
        recommendation: 'advance',
        summary: 'Solid system design; concise answers.',
        link: 'https://app.example.com/scorecards/01k0000000abcdef',
      },
    },
  },
  'interview.cancelled': {
    severity: 'info',
    runbook: 'No action: the interview does not take place, and its meeting link is void.',
    schema: record(interview),
    example: { ...EXAMPLE, state: 'cancelled', updated_at: '2026-03-04T08:00:00.000Z', sequence: 2 },
  },
});
