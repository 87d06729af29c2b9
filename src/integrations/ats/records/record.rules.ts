import type { SyncedResult } from '../../../hiring/candidates/synced-candidates.js';
import type { AtsRecordKind } from '../connectors/ats-records.js';
import type { AtsRecordRow, LeftOutReason, RecordItem, RecordResult } from './record.js';

type CandidateItem = Extract<RecordItem, { kind: 'candidate' }>;

/** Returns why nothing has an effect on a record any more; null: it is live, or not known. */
export function overOf(record: AtsRecordRow | undefined): LeftOutReason | null {
  if (record === undefined || record.state === 'live') return null;
  return record.state === 'deleted' ? 'gone' : record.state;
}

/** Returns why an item has no effect on a record that is known; null: it has. */
export function refusalOfKnown(record: AtsRecordRow | undefined, item: RecordItem): LeftOutReason | null {
  if (record === undefined || record.state !== 'live') return overOf(record);
  // A deletion ends the record, also when it was changed after the deletion was sent.
  if (item.kind === 'gone' || item.changedAt >= record.changed_at) return null;
  return item.kind === 'candidate' && personAt(item) >= (record.person_at ?? record.changed_at) ? null : 'older';
}

/** Returns the time of the name and e-mail that an item tells. */
export function personAt({ personAt: time, changedAt }: CandidateItem): Date {
  return time ?? changedAt;
}

/** Returns whether a merge would close a circle: its survivor was merged into the record before. */
export function isMergeCircle(records: ReadonlyMap<string, AtsRecordRow>, item: RecordItem): boolean {
  const survivor =
    item.kind === 'gone' && item.gone.survivorId !== null ? records.get(item.gone.survivorId) : undefined;
  return survivor?.state === 'merged' && survivor.survivor_id === item.remoteId;
}

/** Returns a time of the ATS as it is stored: a clock that is ahead must not freeze the record. */
export function clamped(changedAt: Date, now = new Date()): Date {
  return changedAt > now ? now : changedAt;
}

/** Returns the result of an item that was left out. */
export function leftOut(kind: AtsRecordKind, remoteId: string, reason: LeftOutReason): RecordResult {
  return { kind, remoteId, outcome: 'left_out', reason, recordId: null };
}

/** Returns what became of an item, from what became of its candidate. */
export function recordResultOf({ remoteId }: CandidateItem, { outcome, id, reason }: SyncedResult): RecordResult {
  if (outcome !== 'refused') return { kind: 'candidate', remoteId, outcome, reason: null, recordId: id };
  // The reasons of the candidates room are among those of this one.
  return { kind: 'candidate', remoteId, outcome: 'left_out', reason: reason as LeftOutReason, recordId: id };
}
