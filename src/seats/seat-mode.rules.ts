/**
 * How a tenant's limit is kept. `unlimited`: there is none. `open`: the limit is far, and a claim takes no lock of its own.
 * `exact`: each claim counts under the tenant's lock.
 */
export type SeatMode = 'unlimited' | 'open' | 'exact';

/** What can change the mode. */
export type SeatModeEvent =
  /** An admin sets a limit, or removes it (null). */
  | { kind: 'limit_changed'; limit: number | null }
  /** A claim counts under the lock: the others must count, too, until the limit is known to be far. */
  | { kind: 'counted' }
  /** `free` seats were counted under the lock; at most `inFlight` claims can be on their way without it. */
  | { kind: 'measured'; free: number; inFlight: number };

/** The limit is far when this many times the claims that can be on their way still fit. */
const FAR = 4;

/** Returns the mode after an event. Every change of the stored mode is a result of this function. */
export function nextSeatMode(mode: SeatMode, event: SeatModeEvent): SeatMode {
  switch (event.kind) {
    case 'limit_changed':
      return event.limit === null ? 'unlimited' : 'exact';
    case 'counted':
      return mode === 'open' ? 'exact' : mode;
    case 'measured':
      return mode === 'exact' && event.free >= FAR * event.inFlight ? 'open' : mode;
  }
}
