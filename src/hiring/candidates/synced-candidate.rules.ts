import type { AtsStatus, CandidateRow } from './candidate.js';
import { changedCandidate, newCandidate, sameCandidate, type CandidateEdit } from './candidate.rules.js';
import { mergedMetadata } from './metadata-keys.rules.js';
import { metadataTextProblem, readCandidateMetadata } from './metadata.rules.js';

/** A candidate as an ATS connection brings it. */
export interface SyncedCandidate {
  externalId: string;
  connectionId: string;
  email: string;
  firstName: string;
  lastName: string;
  /** The `external_id` of the job; null: none. Left out: stays as it is. */
  opening?: string | null;
  /** By key; null: the ATS has no such value. What is left out stays as it is. */
  metadata: Readonly<Record<string, string | null>>;
  /** Left out: stays as it is; so does the status. */
  stage?: string | null;
  status?: AtsStatus;
}

/** What a candidate of an ATS comes to, before its title is known; or why it is not written. */
export type SyncedEdit = CandidateEdit | 'claimed_by_another_connection' | 'metadata_too_large';

/** Returns the candidate as the ATS says it is. A record that the API made is adopted, with its id and metadata. */
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
  // What the ATS says of it need not be read from its text again.
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

/** Returns whether a write of the edit would change nothing, with its title. */
export function isUnchanged(before: CandidateRow | undefined, after: CandidateRow): boolean {
  if (before === undefined || before.ats_connection_id !== after.ats_connection_id) return false;
  return sameCandidate(before, after) && (before.ats_keys ?? []).join() === (after.ats_keys ?? []).join();
}
