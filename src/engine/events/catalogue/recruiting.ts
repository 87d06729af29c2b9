import {
  count,
  flag,
  kinds,
  object,
  text,
  record,
  recordIds,
  type Schema,
  textOrNull,
  time,
  type ValueOf,
  words,
  list,
  timeOrNull,
} from './kind.js';

const CONNECTION = { ats_connection_id: text, provider: text };
const EXAMPLE = { ats_connection_id: 'ats_01k0000000abcdefghjkmnpqrs', provider: 'greenhouse' };

export const ATS_EVENTS = kinds({
  'ats.sync_completed': {
    severity: 'info',
    runbook: 'No action: a first or full import from the ATS is done; the counts are of jobs and candidates.',
    schema: object({ ...CONNECTION, full: flag, created: count, updated: count, closed: count }),
    example: { ...EXAMPLE, full: true, created: 120, updated: 4, closed: 2 },
  },
  'ats.degraded': {
    severity: 'warning',
    runbook: 'Read the problems of the connection: a part of it does not work, and the rest works.',
    schema: object({ ...CONNECTION, reason: text }),
    example: { ...EXAMPLE, reason: 'rate_limited' },
  },
  'ats.reconnect_needed': {
    severity: 'critical',
    runbook: 'Connect the ATS again: it has withdrawn the access, and nothing is read or written until then.',
    schema: object({ ...CONNECTION, reason: text }),
    example: { ...EXAMPLE, reason: 'grant_revoked' },
  },
  'ats.webhook_missing': {
    severity: 'warning',
    runbook: 'Check the webhook in the ATS: the poll found changes that no webhook had brought.',
    schema: object({ ...CONNECTION, found: count }),
    example: { ...EXAMPLE, found: 3 },
  },
});

const anything: Schema<object> = { type: 'object' };

/** The first seven fields keep this order. */
const candidate = object(
  {
    id: text,
    email: text,
    first_name: text,
    last_name: text,
    external_id: text,
    job_title: textOrNull,
    metadata: anything,
    stage: textOrNull,
    ats_status: words('active', 'rejected', 'hired', 'archived', null),
    created_at: time,
    updated_at: time,
    sequence: count,
  },
  // `backfill`: the first import of an ATS brought the candidate.
  { ats_priority: textOrNull, backfill: flag },
);

const CANDIDATE_EXAMPLE: ValueOf<typeof candidate> = {
  id: 'cand_01k0000000abcdefghjkmnpqrs',
  email: 'zoe.muller@example.com',
  first_name: 'Zoë',
  last_name: 'Müller',
  external_id: 'zr_480912000001234567',
  job_title: 'Backend Engineer',
  metadata: { ats: 'zoho_recruit', job_opening_id: '480912000000987654', ats_priority: 'high' },
  stage: 'Phone Screen',
  ats_status: 'active',
  created_at: '2026-03-02T09:15:30.000Z',
  updated_at: '2026-03-02T09:15:30.000Z',
  sequence: 1,
};

export const CANDIDATE_EVENTS = kinds({
  'candidate.created': {
    severity: 'info',
    runbook: 'No action: a candidate was added, through the API, an ATS or by hand.',
    schema: record(candidate),
    example: CANDIDATE_EXAMPLE,
  },
  'candidate.updated': {
    severity: 'info',
    runbook: 'No action: a candidate has changed; `data` is the candidate after the change.',
    schema: record(candidate),
    example: {
      ...CANDIDATE_EXAMPLE,
      job_title: 'Senior Backend Engineer',
      updated_at: '2026-03-03T10:00:00.000Z',
      sequence: 2,
    },
  },
  'candidate.deleted': {
    severity: 'info',
    runbook: 'Delete what you keep of the candidate: the personal data is erased here.',
    schema: recordIds,
    example: { id: CANDIDATE_EXAMPLE.id, external_id: CANDIDATE_EXAMPLE.external_id, sequence: 3 },
  },
});

/** As the API shows an interview, with the candidate's id in the ATS. */
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

/** The rest of a scorecard is read by its link. */
const scorecard = object({
  version,
  overall,
  recommendation: textOrNull,
  summary: textOrNull,
  link: textOrNull,
});

/** The part of a scorecard in an event. */
export type ScorecardSummary = ValueOf<typeof scorecard>;

/** null when the interview was completed without a scorecard. */
const scorecardOrNull: Schema<ScorecardSummary | null> = { anyOf: [scorecard, { type: 'null' }] };

const INTERVIEW_EXAMPLE: InterviewData = {
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

export const INTERVIEW_EVENTS = kinds({
  'interview.scheduled': {
    severity: 'info',
    runbook: 'No action: an interview is scheduled or was moved; the meeting link is in `data`.',
    schema: record(interview),
    example: INTERVIEW_EXAMPLE,
  },
  'interview.completed': {
    severity: 'info',
    runbook:
      'No action: the scorecard is ready; a higher `version` replaces an earlier one. Without a scorecard it is null.',
    schema: record(object({ ...INTERVIEW, scorecard: scorecardOrNull })),
    example: {
      ...INTERVIEW_EXAMPLE,
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
    example: { ...INTERVIEW_EXAMPLE, state: 'cancelled', updated_at: '2026-03-04T08:00:00.000Z', sequence: 2 },
  },
});

export const JOB_EVENTS = kinds({
  'job.synced': {
    severity: 'info',
    runbook: 'No action: a job opening was added, has changed or is closed; `data` is its present state.',
    schema: record(
      object({
        id: text,
        external_id: textOrNull,
        ats: textOrNull,
        ats_connection_id: textOrNull,
        title: text,
        status: words('open', 'closed', 'draft'),
        department: textOrNull,
        location: textOrNull,
        employment_type: textOrNull,
        url: textOrNull,
        opened_at: timeOrNull,
        closed_at: timeOrNull,
        created_at: time,
        updated_at: time,
        sequence: count,
      }),
    ),
    example: {
      id: 'job_01k0000000abcdefghjkmnpqrs',
      external_id: 'gh_127817',
      ats: 'greenhouse',
      ats_connection_id: 'ats_01k0000000abcdefghjkmnpqrs',
      title: 'Backend Engineer',
      status: 'open',
      department: 'Engineering',
      location: 'Zürich',
      employment_type: 'full_time',
      url: 'https://jobs.example.com/127817',
      opened_at: '2026-02-01T08:00:00.000Z',
      closed_at: null,
      created_at: '2026-02-01T08:05:00.000Z',
      updated_at: '2026-02-01T08:05:00.000Z',
      sequence: 1,
    },
  },
});
