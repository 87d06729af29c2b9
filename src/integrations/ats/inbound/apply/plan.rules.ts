import type { AtsFailure } from '../../api/ats-api.js';
import type { AtsCandidate, AtsRecordKind, InboundReading } from '../../connectors/connector.js';
import { isBeside, personAlone, tellsApplication } from '../../records/news.rules.js';
import type { AtsRecordRow, RecordItem, LeftOutReason, RecordResult } from '../../records/record.js';
import type { EventVerdict, WaitingEvent } from '../inbound-events.repository.js';
import { isFromTheFuture, subjectOf } from '../inbound.rules.js';

export interface ReadEvent {
  id: string;
  at: Date;
  tries: number;
  reading: InboundReading;
  signed: boolean;
}

export interface Group {
  kind: AtsRecordKind;
  remoteId: string;
  events: ReadEvent[];
}

type RecordStep =
  | { do: 'write'; item: RecordItem; by: ReadEvent }
  /** The record is read from the ATS, which serves all events. */
  | { do: 'read' }
  /** The record would have to be read, and the connection cannot. */
  | { do: 'give_up' };

/** In the order in which records were first named. Events without a record are left out. */
export function groupsOf(events: readonly ReadEvent[]): Group[] {
  const groups = new Map<string, Group>();
  for (const event of events) {
    const { kind, remoteId } = subjectOf(event.reading.effect);
    if (kind === null || remoteId === null) continue;
    const name = `${kind} ${remoteId}`;
    const group = groups.get(name) ?? { kind, remoteId, events: [] };
    group.events.push(event);
    groups.set(name, group);
  }
  return [...groups.values()];
}

/** Returns why an event cannot have an effect on any record, or null. */
export function faultOf({ reading }: ReadEvent, now: Date): 'no_data' | 'bad_id' | 'from_the_future' | null {
  const { effect, occurredAt } = reading;
  if (effect.kind === 'none') return 'no_data';
  if (subjectOf(effect).remoteId === null) return 'bad_id';
  if (effect.kind === 'read_back') return null;
  return isFromTheFuture(occurredAt, now) || isFromTheFuture(changeOf(reading), now) ? 'from_the_future' : null;
}

/** Returns whether an event is an unsigned deletion or merge: it counts only once the ATS has confirmed it. */
export function isUnprovenEnd({ reading, signed }: ReadEvent): boolean {
  return reading.effect.kind === 'gone' && !signed;
}

/**
 * Returns the step for a record. A deletion or merge ends it, in any order of the events. Else the newest change
 * counts. The record is read where an event lacks its data, its time, or the opening that decides the selection, or
 * where two events have the same time.
 *
 * @param known the record as stored
 * @param canRead the connection can read records of this kind
 */
export function recordStepOf(
  { remoteId, events }: Group,
  known: AtsRecordRow | undefined,
  canRead: boolean,
): RecordStep {
  const end = events.find((event) => event.reading.effect.kind === 'gone' && !isUnprovenEnd(event));
  if (end !== undefined) return { do: 'write', item: itemOf(end, remoteId)!, by: end };
  if (events.some(isUnprovenEnd)) return canRead ? { do: 'read' } : { do: 'give_up' };
  const told = events.filter(({ reading }) => reading.effect.kind !== 'read_back');
  const byTime = [...told].sort((a, b) => timeOf(a) - timeOf(b));
  const newest = byTime.at(-1);
  if (newest === undefined || told.length < events.length) return canRead ? { do: 'read' } : lastOf(byTime, remoteId);
  const before = Math.max(known?.changed_at.getTime() ?? -Infinity, ...byTime.slice(0, -1).map(timeOf));
  const isTie = before === timeOf(newest);
  const isThin = changeOf(newest.reading) === null || isTie || lacksOpening(newest, known);
  return isThin && canRead ? { do: 'read' } : lastOf(byTime, remoteId);
}

/** Returns the newest time of the events of a group, for a read record without its own time. */
export function newestTimeOf({ events }: Group): Date {
  return new Date(Math.max(...events.map(timeOf)));
}

/** Merges the data of events: a newer one may leave out a value of an older one, such as the opening. */
function lastOf(byTime: readonly ReadEvent[], remoteId: string): RecordStep {
  const newest = byTime.at(-1);
  if (newest === undefined) return { do: 'give_up' };
  const item = itemOf(newest, remoteId)!;
  if (item.kind !== 'candidate') return { do: 'write', item, by: newest };
  const told = byTime.flatMap(({ reading: { effect } }) => (effect.kind === 'candidate' ? effect.candidate : []));
  const candidate = told.reduce(together);
  const ofApplication = byTime.filter(
    ({ reading: { effect } }) => effect.kind === 'candidate' && tellsApplication(effect.candidate),
  );
  const changedAt = new Date(timeOf(ofApplication.at(-1) ?? newest));
  return { do: 'write', item: { ...item, candidate, changedAt, personAt: new Date(timeOf(newest)) }, by: newest };
}

/** An ended application beside an active one counts only for the person. */
function together(before: AtsCandidate, after: AtsCandidate): AtsCandidate {
  const known = { id: before.metadata?.['application_id'] ?? null, status: before.status ?? null };
  const told = isBeside(after, known) ? personAlone(after) : after;
  return { ...before, ...told, metadata: { ...before.metadata, ...told.metadata } };
}

function lacksOpening({ reading }: ReadEvent, known: AtsRecordRow | undefined): boolean {
  const { effect } = reading;
  return effect.kind === 'candidate' && known === undefined && effect.candidate.jobRemoteId === undefined;
}

function itemOf(event: ReadEvent, remoteId: string): RecordItem | null {
  const { effect } = event.reading;
  const changedAt = new Date(timeOf(event));
  if (effect.kind === 'gone') return { kind: 'gone', remoteId, changedAt, gone: effect.gone };
  if (effect.kind === 'job') return { kind: 'job', remoteId, changedAt, job: effect.job };
  if (effect.kind === 'candidate') return { kind: 'candidate', remoteId, changedAt, candidate: effect.candidate };
  return null;
}

/** The time of the change, else that of the event, else that of its receipt. */
function timeOf({ at, reading }: ReadEvent): number {
  return (changeOf(reading) ?? reading.occurredAt ?? at).getTime();
}

function changeOf({ effect }: InboundReading): Date | null {
  if (effect.kind === 'candidate') return effect.candidate.changedAt;
  if (effect.kind === 'job') return effect.job.changedAt;
  return effect.kind === 'gone' ? effect.gone.at : null;
}

export interface ReadBatch {
  rows: readonly WaitingEvent[];
  read: ReadEvent[];
  verdicts: EventVerdict[];
}

/**
 * Returns the part of a batch before its first merge, or that merge alone. Without reads a survivor can be made from
 * the merged candidate: events in one batch must have the same result as events one by one.
 */
export function upToMerge(batch: ReadBatch): ReadBatch & { isCut: boolean } {
  const merge = batch.read.findIndex(
    ({ reading: { effect } }) => effect.kind === 'gone' && effect.gone.survivorId !== null,
  );
  if (merge < 0) return { ...batch, isCut: false };
  const last = batch.read[Math.max(merge - 1, 0)]!.id;
  const isIn = ({ id }: { id: string }): boolean => id <= last;
  return {
    rows: batch.rows.filter(isIn),
    read: batch.read.filter(isIn),
    verdicts: batch.verdicts.filter(isIn),
    isCut: true,
  };
}

const MOST_TRIES = 3;

/** Reasons that an admin has to look at. */
const FAILED: ReadonlySet<LeftOutReason> = new Set(['bad_id', 'claimed_by_another_connection', 'metadata_too_large']);

type Named = Pick<WaitingEvent, 'id' | 'at'>;

/** Erases the body of an event without effect: it can hold data that this service does not take, such as offers. */
export function settledVerdict(
  { id, at }: Named,
  state: 'no_effect' | 'failed',
  reason: string,
  detail?: string,
): EventVerdict {
  return { id, at, state, reason, detail: detail ?? null, tried: false, erase: state === 'no_effect' };
}

/** Returns the verdict on an event that failed on its own account: it is tried `MOST_TRIES` times. */
export function triedAgain({ id, at, tries }: ReadEvent, reason: string, detail: string): EventVerdict {
  const isLast = tries + 1 >= MOST_TRIES;
  return { id, at, state: isLast ? 'failed' : 'waiting', reason, detail, tried: true, erase: false };
}

/** Returns that verdict for a record that the ATS does not let us read. */
export function unreadable(event: ReadEvent, { kind, message }: AtsFailure): EventVerdict {
  return triedAgain(event, `ats_${kind}`, message);
}

/** @param by the event whose data was written; null when the record was read, which serves all */
export function verdictsOf(events: readonly ReadEvent[], result: RecordResult, by: ReadEvent | null): EventVerdict[] {
  const { outcome, reason } = result;
  const removed = outcome === 'deleted' || outcome === 'merged';
  return events.map((event) => {
    if (outcome === 'left_out') return settledVerdict(event, FAILED.has(reason!) ? 'failed' : 'no_effect', reason!);
    if (by === null && event.reading.effect.kind === 'gone' && !removed)
      return settledVerdict(event, 'no_effect', 'still_there');
    if (by !== null && event !== by) return settledVerdict(event, 'no_effect', 'older');
    if (outcome === 'unchanged') return settledVerdict(event, 'no_effect', 'unchanged');
    const { id, at } = event;
    return { id, at, state: 'applied', reason: null, detail: null, tried: false, erase: removed };
  });
}
