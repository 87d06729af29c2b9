import type { InboundEventListed } from '../../integrations/ats/inbound/inbound-events.dto.js';
import type { AtsWriteRow } from '../../integrations/ats/publish/write.js';
import { eventId } from '../../engine/events/event-recorder.js';
import type { StoredEvent } from '../../engine/events/event-source.js';
import type { InterviewBody } from '../../hiring/interviews/interview.dto.js';
import type { CandidateEntryBody, CandidateEntryKind } from './candidate-history.dto.js';

/** An entry with its place in its own list. */
export interface PlacedEntry {
  place: string;
  body: CandidateEntryBody;
}

/** Why a write waits that was not tried yet. */
const NOT_TRIED = 'It waits for its turn, or for its connection: see the state of the connection.';
const WRITE_WORDS: Readonly<Record<string, string>> = {
  no_writer: 'The ATS needs a user as whom is written, and none is set: ats users, then ats set --as-user.',
  writer_gone: 'The user as whom is written is gone or not active in the ATS: set another one.',
  paused: 'The connection is paused; ats resume continues it.',
  reconnect_needed: 'The ATS has withdrawn the access: connect it again.',
  not_read_back: 'The ATS took the write and does not show it yet: it is looked for again.',
};

/** Returns the entry of a change that was recorded as an event. */
export function entryOfEvent({ sequence, event, at }: StoredEvent): PlacedEntry {
  return { place: sequence, body: entry({ id: eventId(sequence), at: at.toISOString(), kind: 'event', what: event }) };
}

/** Returns the entry of an event that an ATS has sent. */
export function entryOfAtsEvent(one: InboundEventListed, connectionId: string): PlacedEntry {
  const { id, at, name, state, reason, detail } = one;
  const what = name ?? 'event';
  const more = { state, waits: state === 'waiting', reason, detail, ats_connection_id: connectionId };
  return { place: id, body: entry({ id, at, kind: 'ats_event', what, ...more }) };
}

/** Returns the entry of an interview. */
export function entryOfInterview(one: InterviewBody): PlacedEntry {
  const { id, created_at: at, starts_at: startsAt, state, meeting_state: meeting, meeting_reason: detail } = one;
  const waits = meeting === 'waiting';
  const reason = meeting === 'ready' ? null : `link_${meeting}`;
  const more = { state, waits, reason, detail, interview_id: id };
  return { place: id, body: entry({ id, at, kind: 'interview', what: `interview at ${startsAt}`, ...more }) };
}

/** What is known of the connection through which a write goes. */
export interface WriteConnection {
  paused: boolean;
  problems: readonly { problem: string; reason: string }[];
  /** No user is known as whom it writes, and the vendor needs one. */
  lacksWriter: boolean;
}

/** Returns why the writes of a connection wait, as a code; null: they wait for their turn. */
export function reasonOfWaiting({ paused, problems, lacksWriter }: WriteConnection): string | null {
  if (paused) return 'paused';
  if (problems.some(({ problem }) => problem === 'grant')) return 'reconnect_needed';
  const own = problems.find(({ problem }) => problem === 'writer' || problem === 'writes');
  return own?.reason ?? (lacksWriter ? 'no_writer' : null);
}

/**
 * Returns the entry of a write to an ATS.
 *
 * @param connection undefined: it is removed
 */
export function entryOfWrite(row: AtsWriteRow, connection: WriteConnection | undefined): PlacedEntry {
  const { id, created_at: at, action, kind, state, connection_id, interview_id } = row;
  const waits = state === 'waiting';
  const reason = row.reason ?? (waits && connection !== undefined ? reasonOfWaiting(connection) : null);
  const words = reason === null ? (waits ? NOT_TRIED : null) : (WRITE_WORDS[reason] ?? null);
  const more = { state, waits, reason, detail: row.detail ?? words, ats_connection_id: connection_id, interview_id };
  const what = `${action} ${kind}`;
  return { place: id, body: entry({ id, at: at.toISOString(), kind: 'ats_write', what, ...more }) };
}

/**
 * Returns the newest entries of several lists, each of which is newest first and keeps its order.
 *
 * @returns with the place of the last entry that is shown of each list
 */
export function newestOf(
  lists: Readonly<Record<CandidateEntryKind, readonly PlacedEntry[]>>,
  limit: number,
): { entries: CandidateEntryBody[]; shown: Partial<Record<CandidateEntryKind, string>> } {
  const rest = Object.values(lists).map((list) => [...list]);
  const entries: CandidateEntryBody[] = [];
  const shown: Partial<Record<CandidateEntryKind, string>> = {};
  while (entries.length < limit) {
    const [newest] = rest
      .filter((list) => list.length > 0)
      .sort(([a], [b]) => (a!.body.at < b!.body.at ? 1 : a!.body.at > b!.body.at ? -1 : 0));
    if (newest === undefined) break;
    const { place, body } = newest.shift()!;
    entries.push(body);
    shown[body.kind] = place;
  }
  return { entries, shown };
}

function entry(
  one: Pick<CandidateEntryBody, 'id' | 'at' | 'kind' | 'what'> & Partial<CandidateEntryBody>,
): CandidateEntryBody {
  const none = { state: null, waits: false, reason: null, detail: null, ats_connection_id: null, interview_id: null };
  return { ...none, ...one };
}
