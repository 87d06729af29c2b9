import {
  LEAVER_STATES,
  leaverMillisecondsOf,
  timesOf,
  type LeaverTimes,
} from '../../../src/overview/history/leaver.rules.js';

const at = (ms: number): Date => new Date(Date.UTC(2026, 0, 31, 12) + ms);
const written: LeaverTimes = {
  requested_at: at(0),
  committed_at: at(4),
  sessions_ended_at: at(5),
  forwarded_at: at(9),
  confirmed_at: at(31),
};

it('measures every step from the request', () => {
  expect(leaverMillisecondsOf(written)).toEqual({ commit: 4, sessions: 5, forward: 9, confirm: 31 });
});

it('has no time for a step that did not happen', () => {
  const none = { ...written, sessions_ended_at: null, forwarded_at: null, confirmed_at: null };
  expect(leaverMillisecondsOf(none)).toEqual({ commit: 4, sessions: null, forward: null, confirm: null });
});

it('has no negative duration when the clocks of two machines differ', () => {
  expect(leaverMillisecondsOf({ ...written, committed_at: at(-2) }).commit).toBe(0);
});

it('ends sessions with the commit, never before it', () => {
  expect(timesOf({ ...written, sessions_ended_at: at(3) }, 'confirmed').sessions_ended_at).toEqual(at(4));
  expect(timesOf(written, 'confirmed')).toEqual(written);
  expect(timesOf({ ...written, sessions_ended_at: null }, 'confirmed').sessions_ended_at).toBeNull();
});

it('counts only settled changes as confirmed', () => {
  for (const state of LEAVER_STATES) {
    expect(timesOf(written, state).confirmed_at).toEqual(state === 'confirmed' ? at(31) : null);
  }
});
