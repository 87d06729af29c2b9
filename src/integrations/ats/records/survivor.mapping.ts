import type { CandidateRow } from '../../../hiring/candidates/candidate.js';
import type { AtsCandidate } from '../connectors/ats-records.js';

/** Keys that the record itself says, not its `metadata`. */
const OWN = new Set(['ats', 'job_opening_id', 'original_job_id', 'ats_stage']);

/**
 * Returns the survivor of a merge as far as the merged candidate tells it: both are one person. It has no time of a change,
 * so that all data of the survivor from the ATS is newer.
 */
export function survivorFrom(merged: CandidateRow, remoteId: string): AtsCandidate {
  const values = JSON.parse(merged.metadata) as Record<string, unknown>;
  const textOf = (name: string): string | null => (typeof values[name] === 'string' ? values[name] : null);
  const stage = textOf('ats_stage');
  const further = (merged.ats_keys ?? []).filter((name) => !OWN.has(name));
  return {
    remoteId,
    firstName: merged.first_name,
    lastName: merged.last_name,
    email: merged.email,
    jobRemoteId: textOf('original_job_id'),
    stage: stage === null ? null : { id: stage, name: stage },
    ...(merged.ats_status === null ? {} : { status: merged.ats_status }),
    metadata: Object.fromEntries(further.map((name) => [name, textOf(name)])),
    changedAt: null,
  };
}
