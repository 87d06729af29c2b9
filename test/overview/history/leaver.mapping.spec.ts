import {
  LEAVER_COLUMNS,
  leaverBody,
  leaverCells,
  type LeaverRow,
  leaverMillisecondsOf,
  timesOf,
  type LeaverTimes,
} from '../../../src/overview/history/leaver.mapping.js';
import { LEAVER_STATES } from '../../../src/overview/history/leaver.dto.js';

describe('leaver', () => {
  const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 12, 0, second));
  const ROW: LeaverRow = {
    sequence: '7',
    user_id: 'usr_1',
    kind: 'deactivated',
    person: { email: 'ann@example.com', first_name: 'Ann', last_name: 'Other', role: 'User', external_id: 'x1' },
    source: {
      request_id: 'req_1',
      surface: 'scim',
      directory_id: 'dir_1',
      actor: { kind: 'directory', id: 'dir_1', name: 'Okta' },
    },
    cause: { kind: 'written' },
    sessions_ended: 2,
    held_at: null,
    released_at: null,
    requested_at: at(0),
    committed_at: at(1),
    sessions_ended_at: at(1),
    forwarded_at: at(2),
    confirmed_at: at(3),
    state: 'confirmed',
    parked: null,
    parked_detail: null,
  };

  it('returns times, durations and the user without the role', () => {
    const body = leaverBody(ROW);
    expect(body).toMatchObject({
      id: 'chg_7',
      change_sequence: 7,
      confirmed_at: '2026-01-31T12:00:03.000Z',
      milliseconds: { commit: 1_000, sessions: 1_000, forward: 2_000, confirm: 3_000 },
    });
    expect(body.user).not.toHaveProperty('role');
  });

  it.each<[string, Partial<LeaverRow>, object]>([
    ['no confirmation while it waits', { state: 'waiting' }, { confirmed_at: null }],
    ['no time of a step that did not happen', { sessions_ended_at: null }, { sessions_ended_at: null }],
    ['the hold', { held_at: at(0), released_at: at(1) }, { held_at: '2026-01-31T12:00:00.000Z' }],
    [
      'the reason when it is parked',
      { state: 'parked', parked: 'refused' },
      { error: { code: 'refused', detail: null } },
    ],
  ])('shows %s', (_, change, expected) => {
    expect(leaverBody({ ...ROW, ...change })).toMatchObject(expected);
  });

  it('shows no reason when it is not parked', () => {
    expect(leaverBody({ ...ROW, parked: 'refused' })).not.toHaveProperty('error');
  });

  it('fills one cell for each column', () => {
    const cells = leaverCells(ROW);
    const cell = (name: (typeof LEAVER_COLUMNS)[number]) => cells[LEAVER_COLUMNS.indexOf(name)];
    expect(cells).toHaveLength(LEAVER_COLUMNS.length);
    expect([
      cell('email'),
      cell('confirm_ms'),
      cell('actor_name'),
      cell('held_at'),
      cell('error'),
      cell('why'),
    ]).toEqual(['ann@example.com', 3_000, 'Okta', null, undefined, 'written by the directory']);
  });
});

describe('leaver', () => {
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
});
