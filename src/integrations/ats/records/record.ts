import type { SyncedEvents, SyncedResult } from '../../../hiring/candidates/synced-candidates.js';
import type { AtsApi } from '../api/ats-api.js';
import type { AtsCandidate, AtsGone, AtsJob, AtsRecordKind, Connector } from '../connectors/connector.js';

/** `live`: at the ATS. `erased`: the API deleted the candidate. A record that is not live never comes back. */
type AtsRecordState = 'live' | 'deleted' | 'merged' | 'erased';

export interface AtsRecordRow {
  remote_id: string;
  record_id: string | null;
  state: AtsRecordState;
  survivor_id: string | null;
  /** The ATS's time of the newest stored change, never later than its receipt; for a candidate, of the application. */
  changed_at: Date;
  /** The time of a candidate's name and e-mail; null means `changed_at`. Some events have only these, and no time. */
  person_at: Date | null;
  brought_by: RecordSource;
  seen_in: string | null;
}

type RecordSource = 'webhook' | 'poll' | 'import';

export type RecordItem =
  | { kind: 'job'; remoteId: string; changedAt: Date; job: AtsJob }
  | {
      kind: 'candidate';
      remoteId: string;
      changedAt: Date;
      /** The time of name and e-mail, where it is not that of the application. */
      personAt?: Date;
      candidate: AtsCandidate;
    }
  | { kind: 'gone'; remoteId: string; changedAt: Date; gone: AtsGone };

export interface RecordWrite {
  source: RecordSource;
  events: SyncedEvents;
  /** The full pass that has seen the records, or null. */
  pass: string | null;
  /** Records that are taken outside of the selection too: known ones need them. */
  forced?: ReadonlySet<string>;
  missing?: ReadonlySet<string>;
}

export const LEFT_OUT_WORDS = {
  older: 'A newer change of the record was taken before.',
  gone: 'The record was deleted in the ATS.',
  circle: 'The ATS says of two records that each was merged into the other; the first merge counts.',
  merged: 'The record was merged into another one in the ATS.',
  erased: 'The candidate was deleted here, and no event brings it back.',
  no_email: 'The candidate has no e-mail in the ATS; it comes in once it has one.',
  no_name: 'The candidate has no name in the ATS.',
  bad_id: 'The id in the ATS is too long, or holds control characters.',
  no_open_job: 'The candidate has no open job opening, and the connection takes those of open ones.',
  not_active: 'The candidate is archived, rejected or hired, and the connection takes active ones.',
  other_stage: 'The candidate is in a stage that the connection does not take.',
  before_since: 'The candidate has not changed since the time from which the connection takes changes.',
  job_not_open: 'The job opening is not open, and the connection takes open ones.',
  claimed_by_another_connection: 'Another connection has brought the record with this external_id.',
  metadata_too_large: 'The metadata would be over 16 KiB.',
  not_stored: 'It could not be stored because of an error inside the service, which its log describes.',
  unknown: 'The record was never taken.',
  unchanged: 'The record is as the ATS says already.',
} as const;

export type LeftOutReason = keyof typeof LEFT_OUT_WORDS;

export interface RecordResult {
  kind: AtsRecordKind;
  remoteId: string;
  outcome: 'created' | 'updated' | 'unchanged' | 'closed' | 'deleted' | 'merged' | 'left_out';
  reason: LeftOutReason | null;
  recordId: string | null;
}

export function readsKind({ abilities }: Connector, kind: AtsRecordKind): boolean {
  return kind === 'job' ? abilities.jobs : abilities.candidates;
}

/**
 * @param at the time of the change, where the ATS names none
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

/** Returns an opening for the writer; without its own time it counts from `at`. */
export function jobItem(job: AtsJob, at: Date): Extract<RecordItem, { kind: 'job' }> {
  return { kind: 'job', remoteId: job.remoteId, changedAt: job.changedAt ?? at, job };
}

/** Returns a candidate for the writer; without its own time it counts from `at`. */
export function candidateItem(candidate: AtsCandidate, at: Date): Extract<RecordItem, { kind: 'candidate' }> {
  return { kind: 'candidate', remoteId: candidate.remoteId, changedAt: candidate.changedAt ?? at, candidate };
}

/** Returns a removed record for the writer; without its own time it counts from `at`. */
export function goneItem(gone: AtsGone, at: Date): Extract<RecordItem, { kind: 'gone' }> {
  return { kind: 'gone', remoteId: gone.remoteId, changedAt: gone.at ?? at, gone };
}

type CandidateItem = Extract<RecordItem, { kind: 'candidate' }>;

/** Returns why a record can no longer change; null when it is live, or unknown. */
export function overOf(record: AtsRecordRow | undefined): LeftOutReason | null {
  if (record === undefined || record.state === 'live') return null;
  return record.state === 'deleted' ? 'gone' : record.state;
}

/** Returns why an item has no effect on a known record, or null. */
export function refusalOfKnown(record: AtsRecordRow | undefined, item: RecordItem): LeftOutReason | null {
  if (record === undefined || record.state !== 'live') return overOf(record);
  // A deletion ends the record, even one that changed after the deletion was sent.
  if (item.kind === 'gone' || item.changedAt >= record.changed_at) return null;
  return item.kind === 'candidate' && personAt(item) >= (record.person_at ?? record.changed_at) ? null : 'older';
}

export function personAt({ personAt: time, changedAt }: CandidateItem): Date {
  return time ?? changedAt;
}

/** Returns whether a merge would close a circle: its survivor was merged into the record before. */
export function isMergeCircle(records: ReadonlyMap<string, AtsRecordRow>, item: RecordItem): boolean {
  const survivor =
    item.kind === 'gone' && item.gone.survivorId !== null ? records.get(item.gone.survivorId) : undefined;
  return survivor?.state === 'merged' && survivor.survivor_id === item.remoteId;
}

/** Returns a time of the ATS for storage: a clock that is ahead must not freeze the record. */
export function clamped(changedAt: Date, now = new Date()): Date {
  return changedAt > now ? now : changedAt;
}

export function leftOut(kind: AtsRecordKind, remoteId: string, reason: LeftOutReason): RecordResult {
  return { kind, remoteId, outcome: 'left_out', reason, recordId: null };
}

export function recordResultOf({ remoteId }: CandidateItem, { outcome, id, reason }: SyncedResult): RecordResult {
  if (outcome !== 'refused') return { kind: 'candidate', remoteId, outcome, reason: null, recordId: id };
  // The reasons of the candidates room are among those of this room.
  return { kind: 'candidate', remoteId, outcome: 'left_out', reason: reason as LeftOutReason, recordId: id };
}
