import { object, record, text, textOrNull, time, type Kinds, type RecordIds } from './kind.js';

/** An interview as the API shows it, with the candidate's id in the ATS. */
export interface InterviewData {
  id: string;
  candidate_id: string;
  candidate_external_id: string | null;
  job_id: string | null;
  state: 'scheduled' | 'in_progress' | 'completed' | 'cancelled' | 'no_show';
  starts_at: string;
  ends_at: string;
  time_zone: string | null;
  interviewers: string[];
  meeting_url: string | null;
  meeting_source: 'caller' | 'engine' | 'sandbox' | null;
  meeting_state: 'ready' | 'waiting' | 'failed' | 'none';
  /** Why there is no link; null: there is one. */
  meeting_reason: string | null;
  created_at: string;
  updated_at: string;
  sequence: number;
}

/** What an event says of a scorecard; the rest of it is read by its link. */
export interface ScorecardSummary {
  version: number;
  overall: number | null;
  recommendation: string | null;
  summary: string | null;
  link: string | null;
}

/** The data of the events about interviews. */
export interface InterviewEvents {
  'interview.scheduled': InterviewData | RecordIds;
  'interview.completed': (InterviewData & { scorecard: ScorecardSummary | null }) | RecordIds;
  'interview.cancelled': InterviewData | RecordIds;
}

const INTERVIEW = {
  id: text,
  candidate_id: text,
  candidate_external_id: textOrNull,
  job_id: textOrNull,
  state: { enum: ['scheduled', 'in_progress', 'completed', 'cancelled', 'no_show'] },
  starts_at: time,
  ends_at: time,
  time_zone: textOrNull,
  interviewers: { type: 'array', items: text },
  meeting_url: textOrNull,
  meeting_source: { enum: ['caller', 'engine', 'sandbox', null] },
  meeting_state: { enum: ['ready', 'waiting', 'failed', 'none'] },
  meeting_reason: textOrNull,
  created_at: time,
  updated_at: time,
};

const scorecard = object({
  version: { type: 'integer', minimum: 1 },
  overall: { type: ['number', 'null'] },
  recommendation: textOrNull,
  summary: textOrNull,
  link: textOrNull,
});

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
export const INTERVIEW_EVENTS: Kinds<InterviewEvents> = {
  'interview.scheduled': {
    severity: 'info',
    runbook: 'No action: an interview is scheduled or was moved; the meeting link is in `data`.',
    schema: record(INTERVIEW),
    example: EXAMPLE,
  },
  'interview.completed': {
    severity: 'info',
    runbook:
      'No action: the scorecard is ready; a higher `version` replaces an earlier one. Without a scorecard it is null.',
    schema: record({ ...INTERVIEW, scorecard: { anyOf: [scorecard, { type: 'null' }] } }),
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
    schema: record(INTERVIEW),
    example: { ...EXAMPLE, state: 'cancelled', updated_at: '2026-03-04T08:00:00.000Z', sequence: 2 },
  },
};
