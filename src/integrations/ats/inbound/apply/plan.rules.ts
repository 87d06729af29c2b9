import type { AtsCandidate, AtsRecordKind } from '../../connectors/ats-records.js';
import type { InboundReading } from '../../connectors/connector.js';
import { isBeside, personAlone, tellsApplication } from '../../records/news.rules.js';
import type { AtsRecordRow, RecordItem } from '../../records/record.js';
import { isFromTheFuture, subjectOf } from '../inbound.rules.js';

/** An event and what it says. */
export interface ReadEvent {
  id: string;
  at: Date;
  tries: number;
  reading: InboundReading;
  /** A signature was checked when it came. */
  signed: boolean;
}

/** The events about one record, oldest first. */
export interface Group {
  kind: AtsRecordKind;
  remoteId: string;
  events: ReadEvent[];
}

/** What is done for the events about one record. */
export type RecordStep =
  /** What the events say is written. */
  | { do: 'write'; item: RecordItem; by: ReadEvent }
  /** The record is read from the ATS: what it says then serves all events. */
  | { do: 'read' }
  /** It would have to be read, and the connection cannot. */
  | { do: 'give_up' };

/** Returns the events by record, in the order in which records were first named. Events about none are left out. */
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

/** Returns why an event can have no effect on any record; null: it can. */
export function faultOf({ reading }: ReadEvent, now: Date): 'no_data' | 'bad_id' | 'from_the_future' | null {
  const { effect, occurredAt } = reading;
  if (effect.kind === 'none') return 'no_data';
  if (subjectOf(effect).remoteId === null) return 'bad_id';
  if (effect.kind === 'read_back') return null;
  return isFromTheFuture(occurredAt, now) || isFromTheFuture(changeOf(reading), now) ? 'from_the_future' : null;
}

/** Returns whether an event is a deletion or merge that no signature proves: it counts only once the ATS was asked. */
export function isUnprovenEnd({ reading, signed }: ReadEvent): boolean {
  return reading.effect.kind === 'gone' && !signed;
}

/**
 * Returns what is done for a record. A deletion or merge ends it, however the events came. Else the newest change counts; the
 * record is read where an event does not hold its data, its time, or the opening that decides whether it is taken, or where
 * two events name the same time.
 *
 * @param known the record as it is stored
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

/** Returns the newest time that events of a group name, for a read record without a time of its own. */
export function newestTimeOf({ events }: Group): Date {
  return new Date(Math.max(...events.map(timeOf)));
}

/** What events say together: a newer one may leave out what an older one said, such as the opening. */
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

/** An application that ended beside an active one tells of the person alone. */
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
