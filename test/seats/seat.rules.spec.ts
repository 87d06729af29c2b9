import { claimMode, seatMove, type SeatLimit, type SeatPolicy, type WriteChannel } from '../../src/seats/seat.rules.js';

const POLICIES: Record<WriteChannel, SeatPolicy> = { scim: 'wait', api: 'block', 'sign-in': 'allow' };
const state = (limit: number | null, mode: SeatLimit['mode']): SeatLimit => ({ limit, mode, policies: POLICIES });

describe('how a write may come by a seat', () => {
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

describe('what the ledger has to say', () => {
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
