import type { AtsApi } from '../api/ats-api.js';
import type { AtsCandidate, AtsGone, AtsJob, AtsRecordKind } from '../connectors/ats-records.js';
import type { Connector } from '../connectors/connector.js';
import type { RecordItem } from './record.js';

/** Returns whether a connector reads records of a kind. */
export function readsKind({ abilities }: Connector, kind: AtsRecordKind): boolean {
  return kind === 'job' ? abilities.jobs : abilities.candidates;
}

/**
 * Reads one record from the ATS.
 *
 * @param at the time of the change, where the ATS names none
 * @returns null where the ATS has no such record
 * @throws {AtsFailure} when the call fails
 * @throws {NotUnderstood} when the record is not one that the ATS documents
 */
export async function readRecord(
  { connector, api }: { connector: Connector; api: AtsApi },
  kind: AtsRecordKind,
  remoteId: string,
  at: Date,
): Promise<RecordItem | null> {
  if (kind === 'job') {
    const job = await connector.job(api, remoteId);
    return job === null ? null : jobItem({ ...job, remoteId }, at);
  }
  const candidate = await connector.candidate(api, remoteId);
  return candidate === null ? null : candidateItem({ ...candidate, remoteId }, at);
}

/** Returns an opening for the writer; without a time of its own it counts from `at`. */
export function jobItem(job: AtsJob, at: Date): Extract<RecordItem, { kind: 'job' }> {
  return { kind: 'job', remoteId: job.remoteId, changedAt: job.changedAt ?? at, job };
}

/** Returns a candidate for the writer; without a time of its own it counts from `at`. */
export function candidateItem(candidate: AtsCandidate, at: Date): Extract<RecordItem, { kind: 'candidate' }> {
  return { kind: 'candidate', remoteId: candidate.remoteId, changedAt: candidate.changedAt ?? at, candidate };
}

/** Returns a record that the ATS has no more, for the writer; without a time of its own it counts from `at`. */
export function goneItem(gone: AtsGone, at: Date): Extract<RecordItem, { kind: 'gone' }> {
  return { kind: 'gone', remoteId: gone.remoteId, changedAt: gone.at ?? at, gone };
}
