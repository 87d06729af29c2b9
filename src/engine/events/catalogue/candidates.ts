import {
  count,
  flag,
  kinds,
  object,
  record,
  recordIds,
  type Schema,
  text,
  textOrNull,
  time,
  type ValueOf,
  words,
} from './kind.js';

const anything: Schema<object> = { type: 'object' };

/** A candidate as the API shows it. The first seven fields come first, in this order. */
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

const EXAMPLE: ValueOf<typeof candidate> = {
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

/** The events about candidates. */
export const CANDIDATE_EVENTS = kinds({
  'candidate.created': {
    severity: 'info',
    runbook: 'No action: a candidate was added, through the API, an ATS or by hand.',
    schema: record(candidate),
    example: EXAMPLE,
  },
  'candidate.updated': {
    severity: 'info',
    runbook: 'No action: a candidate has changed; `data` is the candidate after the change.',
    schema: record(candidate),
    example: { ...EXAMPLE, job_title: 'Senior Backend Engineer', updated_at: '2026-03-03T10:00:00.000Z', sequence: 2 },
  },
  'candidate.deleted': {
    severity: 'info',
    runbook: 'Delete what you keep of the candidate: the personal data is erased here.',
    schema: recordIds,
    example: { id: EXAMPLE.id, external_id: EXAMPLE.external_id, sequence: 3 },
  },
});
