import {
  claimMode,
  decideSeat,
  seatMove,
  type SeatAsk,
  type SeatDecision,
  type SeatLimit,
  type SeatPolicy,
  type WriteChannel,
  nextSeatMode,
  type SeatMode,
  type SeatModeEvent,
} from '../../src/seats/seat.rules.js';

const POLICIES: Record<WriteChannel, SeatPolicy> = { scim: 'wait', api: 'block', 'sign-in': 'allow' };
const state = (limit: number | null, mode: SeatLimit['mode']): SeatLimit => ({ limit, mode, policies: POLICIES });

describe('the way in which a write may claim a seat', () => {
  it.each<[number | null, SeatLimit['mode'], WriteChannel, boolean, string, string]>([
    [null, 'unlimited', 'scim', false, 'free', 'there is no limit'],
    [null, 'exact', 'api', false, 'free', 'there is no limit any more'],
    [10, 'open', 'scim', false, 'open', 'the limit is far'],
    [10, 'exact', 'scim', false, 'exact', 'the limit is near'],
    [10, 'unlimited', 'api', false, 'exact', 'the limit has only just been set'],
    [0, 'exact', 'api', false, 'exact', 'no seat at all'],
    [10, 'exact', 'sign-in', false, 'free', 'the policy of the channel is allow'],
    [10, 'exact', 'api', true, 'free', 'the owner'],
    [10, 'open', 'scim', true, 'free', 'the owner'],
  ])('limit %s, %s, %s, owner %s: %s (%s)', (limit, mode, channel, isOwner, expected) => {
    expect(claimMode(state(limit, mode), channel, isOwner)).toBe(expected);
  });
});

describe('decideSeat', () => {
  it.each<[string, SeatDecision, Partial<SeatAsk>, { free: number; waiting: number }, number | null]>([
    ['gives a seat when there is no limit', 'no_limit', {}, { free: 0, waiting: 0 }, null],
    ['gives the owner a seat when none is free', 'owner', { isOwner: true }, { free: 0, waiting: 3 }, 10],
    [
      'gives a seat over the limit when the policy is allow',
      'allowed_over_limit',
      { channel: 'sign-in' },
      { free: -1, waiting: 3 },
      10,
    ],
    ['gives the free seat when it is the turn of the user', 'in_turn', { inTurn: true }, { free: 1, waiting: 3 }, 10],
    ['gives a seat when more are free than users wait', 'seat_free', {}, { free: 4, waiting: 3 }, 10],
    ['lets the user wait when as many users wait as seats are free', 'must_wait', {}, { free: 3, waiting: 3 }, 10],
    [
      'lets the user wait when it is the turn of the user and no seat is free',
      'must_wait',
      { inTurn: true },
      { free: 0, waiting: 0 },
      10,
    ],
    ['lets the user wait when the limit was lowered', 'must_wait', {}, { free: -2, waiting: 0 }, 10],
    [
      'refuses when the policy is block and no seat is free',
      'blocked',
      { channel: 'api' },
      { free: 0, waiting: 0 },
      10,
    ],
    [
      'refuses when the policy is block and others wait for the free seats',
      'blocked',
      { channel: 'api' },
      { free: 1, waiting: 1 },
      10,
    ],
    [
      'lets the user wait in place of a refusal when the write may wait',
      'must_wait',
      { channel: 'api', mayWait: true },
      { free: 0, waiting: 0 },
      10,
    ],
  ])('%s', (_, decision, ask, counts, limit) => {
    expect(decideSeat(state(limit, 'exact'), { channel: 'scim', isOwner: false, userId: null, ...ask }, counts)).toBe(
      decision,
    );
  });
});

describe('the reason of a ledger line', () => {
  it.each([
    ['none', 'none', 'keep'],
    ['none', 'held', 'claim'],
    ['none', 'waiting', 'keep'],
    ['waiting', 'held', 'claim'],
    ['waiting', 'waiting', 'keep'],
    ['waiting', 'none', 'keep'],
    ['held', 'held', 'keep'],
    ['held', 'none', 'release'],
    ['held', 'waiting', 'release'],
  ] as const)('%s to %s: %s', (before, after, move) => {
    expect(seatMove(before, after)).toBe(move);
  });
});

const MODES: readonly SeatMode[] = ['unlimited', 'open', 'exact'];
const EVENTS: readonly [name: string, event: SeatModeEvent, after: Record<SeatMode, SeatMode>][] = [
  ['a limit is set', { kind: 'limit_changed', limit: 10 }, { unlimited: 'exact', open: 'exact', exact: 'exact' }],
  ['a limit of 0 is set', { kind: 'limit_changed', limit: 0 }, { unlimited: 'exact', open: 'exact', exact: 'exact' }],
  ['the limit is removed', { kind: 'limit_changed', limit: null }, { unlimited: 'unlimited', open: 'unlimited', exact: 'unlimited' }],
  ['a claim counts under the lock', { kind: 'counted' }, { unlimited: 'unlimited', open: 'exact', exact: 'exact' }],
  ['the limit is far', { kind: 'measured', free: 400, inFlight: 100 }, { unlimited: 'unlimited', open: 'open', exact: 'open' }],
  ['the limit is near', { kind: 'measured', free: 399, inFlight: 100 }, { unlimited: 'unlimited', open: 'open', exact: 'exact' }],
]; // prettier-ignore

describe.each(EVENTS)('when %s', (_, event, after) => {
  it.each(MODES)('the mode %s becomes the expected one', (mode) => {
    expect(nextSeatMode(mode, event)).toBe(after[mode]);
  });
});
