/**
 * How far a departure has come. `confirmed`: the platform has it. `waiting`: it is still to be said, or no answer is
 * known. `parked`: it waits for an admin. `dismissed`: an admin gave it up. `not_forwarded`: the platform never had this
 * person, or forwarding is off.
 */
export const LEAVER_STATES = ['confirmed', 'waiting', 'parked', 'dismissed', 'not_forwarded'] as const;
export type LeaverState = (typeof LEAVER_STATES)[number];

/** When what happened, as it was written down; null where it did not happen, or is not kept any more. */
export interface LeaverTimes {
  requested_at: Date;
  committed_at: Date;
  sessions_ended_at: Date | null;
  forwarded_at: Date | null;
  confirmed_at: Date | null;
}

/** From the request's arrival to each step, in milliseconds. */
export interface LeaverMilliseconds {
  commit: number;
  sessions: number | null;
  forward: number | null;
  confirm: number | null;
}

/**
 * The times of a departure as they count. Sessions end in the statement that commits it, so they do not end before;
 * what the platform has taken counts as confirmed only once it is settled.
 */
export function timesOf(written: LeaverTimes, state: LeaverState): LeaverTimes {
  const { committed_at: committed, sessions_ended_at: ended } = written;
  return {
    ...written,
    sessions_ended_at: ended !== null && ended < committed ? committed : ended,
    confirmed_at: state === 'confirmed' ? written.confirmed_at : null,
  };
}

/** How long each step took from the request. Two machines' clocks may differ a little: nothing takes less than 0. */
export function millisecondsOf(times: LeaverTimes): LeaverMilliseconds {
  const since = (moment: Date): number => Math.max(0, moment.getTime() - times.requested_at.getTime());
  const known = (moment: Date | null): number | null => (moment === null ? null : since(moment));
  return {
    commit: since(times.committed_at),
    sessions: known(times.sessions_ended_at),
    forward: known(times.forwarded_at),
    confirm: known(times.confirmed_at),
  };
}
