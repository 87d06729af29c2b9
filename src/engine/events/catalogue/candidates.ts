import { record, recordIds, text, textOrNull, time, type Kinds, type RecordIds } from './kind.js';

/** A candidate as the API shows it. The first seven fields come first, in this order. */
export interface CandidateData {
  id: string;
  email: string;
  first_name: string;
  last_name: string;
  external_id: string;
  job_title: string | null;
  metadata: object;
  /** The stage in the ATS; null: none, or no ATS owns the candidate. */
  stage: string | null;
  ats_status: 'active' | 'rejected' | 'hired' | 'archived' | null;
  ats_priority?: string | null;
  /** The first import of an ATS brought the candidate. */
  backfill?: boolean;
  created_at: string;
  updated_at: string;
  sequence: number;
}

/** The data of the events about candidates. */
export interface CandidateEvents {
  'candidate.created': CandidateData | RecordIds;
  'candidate.updated': CandidateData | RecordIds;
  'candidate.deleted': RecordIds;
}

const candidate = record(
  {
    id: text,
    email: text,
    first_name: text,
    last_name: text,
    external_id: text,
    job_title: textOrNull,
    metadata: { type: 'object' },
    stage: textOrNull,
    ats_status: { enum: ['active', 'rejected', 'hired', 'archived', null] },
    created_at: time,
    updated_at: time,
  },
  { ats_priority: textOrNull, backfill: { type: 'boolean' } },
);

const EXAMPLE: CandidateData = {
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
export const CANDIDATE_EVENTS: Kinds<CandidateEvents> = {
  'candidate.created': {
    severity: 'info',
    runbook: 'No action: a candidate was added, through the API, an ATS or by hand.',
    schema: candidate,
    example: EXAMPLE,
  },
  'candidate.updated': {
    severity: 'info',
    runbook: 'No action: a candidate has changed; `data` is the candidate after the change.',
    schema: candidate,
    example: { ...EXAMPLE, job_title: 'Senior Backend Engineer', updated_at: '2026-03-03T10:00:00.000Z', sequence: 2 },
  },
  'candidate.deleted': {
    severity: 'info',
    runbook: 'Delete what you keep of the candidate: the personal data is erased here.',
    schema: recordIds,
    example: { id: EXAMPLE.id, external_id: EXAMPLE.external_id, sequence: 3 },
  },
};
