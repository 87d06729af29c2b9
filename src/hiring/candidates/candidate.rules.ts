import type { CandidateChange, CandidateFields, CandidateRow, Metadata } from './candidate.js';
import { NO_METADATA, readCandidateMetadata } from './metadata.rules.js';

/** A candidate that is to be written, and the opening whose title it takes; null: its title is final. */
export interface CandidateEdit {
  row: CandidateRow;
  titleFrom: string | null;
}

/** Returns a new candidate. */
export function newCandidate(fields: CandidateFields, id: string, at: Date): CandidateEdit {
  const { email, first_name, last_name, external_id, job_title: title = null, metadata = NO_METADATA } = fields;
  const isSet = title !== null;
  return {
    row: {
      id,
      external_id,
      email,
      first_name,
      last_name,
      job_title: title,
      job_title_set: isSet,
      metadata: metadata.text,
      job_opening_id: metadata.openingId,
      ats_priority: metadata.priority,
      ats_connection_id: null,
      ats_keys: null,
      stage: null,
      ats_status: null,
      sequence: 1,
      created_at: at,
      updated_at: at,
    },
    titleFrom: isSet ? null : metadata.openingId,
  };
}

/**
 * Returns the candidate after a change. A title that is sent back unchanged keeps its origin: the caller's, or that
 * of the opening.
 */
export function changedCandidate(before: CandidateRow, change: CandidateChange, at: Date): CandidateEdit {
  const { metadata, job_title: sent, ...plain } = change;
  const row: CandidateRow = { ...before };
  Object.assign(row, plain);
  row.sequence = before.sequence + 1;
  row.updated_at = at;
  if (metadata !== undefined) {
    row.metadata = metadata.text;
    row.job_opening_id = openingAfter(before, metadata);
    row.ats_priority = metadata.priority;
  }
  if (sent !== undefined && sent !== before.job_title) row.job_title_set = sent !== null;
  if (row.job_title_set) {
    row.job_title = sent ?? before.job_title;
    return { row, titleFrom: null };
  }
  const follows = before.job_title_set || row.job_opening_id !== before.job_opening_id;
  if (follows) row.job_title = null;
  return { row, titleFrom: follows ? row.job_opening_id : null };
}

/**
 * Returns the name of the opening after new metadata. An ATS names it in the metadata by its own id, and the record by the
 * `external_id` of the job; it stays as long as the id in the metadata does.
 */
export function openingAfter(before: CandidateRow, { openingId }: Metadata): string | null {
  if (openingId === before.job_opening_id) return openingId;
  const inMetadata = readCandidateMetadata(before.metadata, JSON.parse(before.metadata) as object).openingId;
  return openingId === inMetadata ? before.job_opening_id : openingId;
}

/** Returns the candidate of an edit with the title of the opening that it follows. */
export function titled({ row, titleFrom }: CandidateEdit, title: string | null): CandidateRow {
  return titleFrom === null ? row : { ...row, job_title: title };
}

const COMPARED = [
  'external_id',
  'email',
  'first_name',
  'last_name',
  'job_title',
  'job_title_set',
  'metadata',
  'job_opening_id',
  'stage',
  'ats_status',
] as const satisfies readonly (keyof CandidateRow)[];

/** Returns whether two states of a candidate are the same, but for times and sequence. */
export function sameCandidate(a: CandidateRow, b: CandidateRow): boolean {
  return COMPARED.every((name) => a[name] === b[name]);
}
