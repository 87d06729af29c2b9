import { causeInWords, type Cause } from '../../tenancy/identity/cause.rules.js';
import type { Person, ChangeSource } from '../../tenancy/identity/person.js';
import type { LeaverShape, LeaverState } from './leaver.dto.js';

/** Null where a step did not happen, or its time is no longer kept. */
export interface LeaverTimes {
  requested_at: Date;
  committed_at: Date;
  sessions_ended_at: Date | null;
  forwarded_at: Date | null;
  confirmed_at: Date | null;
}

/** Milliseconds from the arrival of the request to each step. */
interface LeaverMilliseconds {
  commit: number;
  sessions: number | null;
  forward: number | null;
  confirm: number | null;
}

/**
 * Returns the valid times of a departure. Sessions end in the statement that commits it, so not earlier. The answer of
 * the platform counts as confirmation only once the lane is settled.
 */
export function timesOf(written: LeaverTimes, state: LeaverState): LeaverTimes {
  const { committed_at: committed, sessions_ended_at: ended } = written;
  return {
    ...written,
    sessions_ended_at: ended !== null && ended < committed ? committed : ended,
    confirmed_at: state === 'confirmed' ? written.confirmed_at : null,
  };
}

/** Clocks of two machines can differ a little, so no duration is below 0. */
export function leaverMillisecondsOf(times: LeaverTimes): LeaverMilliseconds {
  const since = (moment: Date): number => Math.max(0, moment.getTime() - times.requested_at.getTime());
  const known = (moment: Date | null): number | null => (moment === null ? null : since(moment));
  return {
    commit: since(times.committed_at),
    sessions: known(times.sessions_ended_at),
    forward: known(times.forwarded_at),
    confirm: known(times.confirmed_at),
  };
}

/** A departure as the statement returns it. */
export interface LeaverRow extends LeaverTimes {
  sequence: string;
  user_id: string;
  kind: 'deactivated' | 'deleted';
  person: Person;
  source: ChangeSource;
  /** Null when the change is older than causes. */
  cause: Cause | null;
  sessions_ended: number;
  /** The beginning and the end of the hold, for a departure that was held. */
  held_at: Date | null;
  released_at: Date | null;
  state: LeaverState;
  parked: string | null;
  parked_detail: string | null;
}

export function leaverBody(row: LeaverRow): LeaverShape {
  const { email, first_name, last_name, external_id } = row.person;
  const times = timesOf(row, row.state);
  return {
    id: `chg_${row.sequence}`,
    user_id: row.user_id,
    change_sequence: Number(row.sequence),
    kind: row.kind,
    user: { email, first_name, last_name, external_id },
    source: row.source,
    cause: causeInWords(row.cause, row.source),
    requested_at: times.requested_at.toISOString(),
    held_at: row.held_at?.toISOString() ?? null,
    released_at: row.released_at?.toISOString() ?? null,
    committed_at: times.committed_at.toISOString(),
    sessions_ended_at: times.sessions_ended_at?.toISOString() ?? null,
    sessions_ended: row.sessions_ended,
    forwarded_at: times.forwarded_at?.toISOString() ?? null,
    confirmed_at: times.confirmed_at?.toISOString() ?? null,
    state: row.state,
    milliseconds: leaverMillisecondsOf(times),
    ...(row.state === 'parked' && row.parked !== null
      ? { error: { code: row.parked, detail: row.parked_detail } }
      : {}),
  };
}

export const LEAVER_COLUMNS = [
  'user_id',
  'change_sequence',
  'kind',
  'email',
  'first_name',
  'last_name',
  'external_id',
  'state',
  'requested_at',
  'committed_at',
  'sessions_ended_at',
  'sessions_ended',
  'forwarded_at',
  'confirmed_at',
  'commit_ms',
  'sessions_ms',
  'forward_ms',
  'confirm_ms',
  'surface',
  'directory_id',
  'actor_kind',
  'actor_id',
  'actor_name',
  'request_id',
  'error',
  'held_at',
  'released_at',
  'why',
] as const;

export function leaverCells(row: LeaverRow): unknown[] {
  const body = leaverBody(row);
  const { user, milliseconds, source } = body;
  return [
    body.user_id,
    body.change_sequence,
    body.kind,
    user.email,
    user.first_name,
    user.last_name,
    user.external_id,
    body.state,
    body.requested_at,
    body.committed_at,
    body.sessions_ended_at,
    body.sessions_ended,
    body.forwarded_at,
    body.confirmed_at,
    milliseconds.commit,
    milliseconds.sessions,
    milliseconds.forward,
    milliseconds.confirm,
    source.surface,
    source.directory_id,
    source.actor.kind,
    source.actor.id,
    source.actor.name,
    source.request_id,
    body.error?.code,
    body.held_at,
    body.released_at,
    body.cause?.words ?? 'not recorded',
  ];
}
