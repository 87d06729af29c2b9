/**
 * The states of a departure. `confirmed`: the platform has it. `waiting`: it is not sent yet, or the answer is unknown.
 * `parked`: an admin has to decide. `dismissed`: an admin has discarded it. `not_forwarded`: the platform has no
 * account of this user, or forwarding is off.
 */
export const LEAVER_STATES = ['confirmed', 'waiting', 'parked', 'dismissed', 'not_forwarded'] as const;

/** The state of a departure. */
export type LeaverState = (typeof LEAVER_STATES)[number];

/** The stored times of the steps; null where a step did not happen, or its time is no longer kept. */
export interface LeaverTimes {
  requested_at: Date;
  committed_at: Date;
  sessions_ended_at: Date | null;
  forwarded_at: Date | null;
  confirmed_at: Date | null;
}

/** The milliseconds from the arrival of the request to each step. */
export interface LeaverMilliseconds {
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

/**
 * Returns the duration of each step since the request. The clocks of two machines can differ a little, so no duration
 * is below 0.
 */
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
