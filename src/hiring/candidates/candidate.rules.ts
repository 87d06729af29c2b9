import type { CandidateChange, CandidateFields, CandidateRow, Metadata, AtsStatus } from './candidate.js';
import { NO_METADATA, readCandidateMetadata, mergedMetadata, metadataTextProblem } from './metadata.rules.js';

/** `titleFrom`: the opening whose title the candidate takes; null when its title is final. */
interface CandidateEdit {
  row: CandidateRow;
  titleFrom: string | null;
}

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

/** A title that is sent back unchanged keeps its origin: the caller, or the opening. */
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

export function sameCandidate(a: CandidateRow, b: CandidateRow): boolean {
  return COMPARED.every((name) => a[name] === b[name]);
}

/** A candidate as an ATS connection brings it. */
export interface SyncedCandidate {
  externalId: string;
  connectionId: string;
  email: string;
  firstName: string;
  lastName: string;
  /** The `external_id` of the job; null when there is none. Absent: unchanged. */
  opening?: string | null;
  /** By key; null when the ATS has no such value. An absent key stays unchanged. */
  metadata: Readonly<Record<string, string | null>>;
  /** Absent: stage and status stay unchanged. */
  stage?: string | null;
  status?: AtsStatus;
}

/** The edit before its title is known; or why the candidate is not written. */
type SyncedEdit = CandidateEdit | 'claimed_by_another_connection' | 'metadata_too_large';

/** Returns the candidate with the values of the ATS. A record of the API is adopted, with its id and metadata. */
export function syncedEdit(
  before: CandidateRow | undefined,
  synced: SyncedCandidate,
  { id, at }: { id: string; at: Date },
): SyncedEdit {
  const { connectionId, externalId } = synced;
  if (before !== undefined && before.ats_connection_id !== null && before.ats_connection_id !== connectionId) {
    return 'claimed_by_another_connection';
  }
  const merged = mergedMetadata(before?.metadata ?? '{}', before?.ats_keys ?? [], synced.metadata);
  if (metadataTextProblem(merged.text) !== null) return 'metadata_too_large';
  // The values of the ATS need not be read from their text again.
  const said = merged.isWhole ? synced.metadata : (JSON.parse(merged.text) as object);
  const metadata = readCandidateMetadata(merged.text, said);
  if (synced.opening !== undefined) metadata.openingId = synced.opening;
  const { email, firstName, lastName } = synced;
  const change = { email, first_name: firstName, last_name: lastName, external_id: externalId, metadata };
  const edit = before === undefined ? newCandidate(change, id, at) : changedCandidate(before, change, at);
  const adopted = before?.ats_connection_id === null;
  const opening = synced.opening ?? null;
  const { row } = edit;
  // A copy with two other members costs as much as everything else here.
  row.ats_connection_id = connectionId;
  row.ats_keys = merged.keys;
  row.stage = synced.stage === undefined ? row.stage : synced.stage;
  row.ats_status = synced.status ?? row.ats_status ?? 'active';
  // The title of a record that the API made follows the opening from its adoption on: the ATS owns it.
  if (adopted && row.job_title_set && opening !== null) {
    return { row: { ...row, job_title_set: false, job_title: null }, titleFrom: opening };
  }
  return { row, titleFrom: edit.titleFrom };
}

export function isUnchanged(before: CandidateRow | undefined, after: CandidateRow): boolean {
  if (before === undefined || before.ats_connection_id !== after.ats_connection_id) return false;
  return sameCandidate(before, after) && (before.ats_keys ?? []).join() === (after.ats_keys ?? []).join();
}
