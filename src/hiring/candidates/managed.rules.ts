import type { CandidateChange, CandidateRow } from './candidate.js';
import { withOwnedKeys } from './metadata-keys.rules.js';

/** The fields that the ATS owns of a candidate that it brought; of the metadata it owns keys. */
const OWNED = ['first_name', 'last_name', 'email', 'external_id', 'job_title'] as const;

/** What a change by the API comes to for a candidate of an ATS. */
export interface ManagedChange {
  /** The change with the keys of the ATS that the caller left out. */
  change: CandidateChange;
  /** What the caller would change of what the ATS owns, such as `email` and `metadata.ats`. */
  wrong: string[];
}

/** Returns a change of a candidate that an ATS manages. A value that is sent back unchanged is no change. */
export function managedChange(before: CandidateRow, change: CandidateChange): ManagedChange {
  const wrong: string[] = OWNED.filter((name) => change[name] !== undefined && change[name] !== before[name]);
  if (change.metadata === undefined) return { change, wrong };
  const kept = withOwnedKeys(before.metadata, before.ats_keys ?? [], change.metadata);
  return {
    change: { ...change, metadata: kept.metadata },
    wrong: [...wrong, ...kept.wrong.map((name) => `metadata.${name}`)],
  };
}
