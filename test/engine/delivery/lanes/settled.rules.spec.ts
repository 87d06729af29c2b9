import { transition } from '../../../../src/engine/delivery/lanes/lane.js';
import type { Lane } from '../../../../src/engine/delivery/lane-state.js';
import { callWith, EARLIER, LANES, laneWith, NOW, OLDER_TOKEN, settledBy } from '../../../support/lanes.js';

describe('an outcome', () => {
  const after = (lane: Lane, ...of: Parameters<typeof settledBy> extends [Lane, ...infer R] ? R : never): Lane =>
    transition(lane, settledBy(lane, ...of), NOW);
  const away = { kind: 'unavailable', reason: 'timeout', ownFault: true, retryAfterMs: null } as const;

  it('confirms the values of the call, and keeps newer changes', () => {
    const next = after(LANES['calling, outdated']!, { kind: 'delivered', bind: 'hp_9' });
    expect(next).toMatchObject({ accountId: 'hp_9', confirmedState: 'active', confirmedThrough: 7, confirmedAt: NOW });
    expect(next).toMatchObject({ firstPending: 8, lastPending: 9, pendingSince: EARLIER, call: null });
  });

  it('confirms nothing when the user is to be sent again meanwhile', () => {
    const lane = { ...LANES['calling, with an account']!, round: 1, newerSince: EARLIER };
    expect(after(lane, { kind: 'delivered' })).toMatchObject({
      state: 'due',
      confirmedState: null,
      confirmedDigest: null,
    });
  });

  it('forgets the confirmed body when the destination has another one', () => {
    const next = after(LANES['calling, with an account']!, {
      kind: 'next',
      lookup: { why: 'conflict' },
      outdated: true,
    });
    expect(next).toMatchObject({ state: 'due', confirmedState: 'active', confirmedDigest: null, accountId: 'hp_1' });
  });

  it('of another lease, or of another address, is ignored', () => {
    const lane = { ...LANES['calling']!, leaseToken: OLDER_TOKEN };
    expect(after(lane, { kind: 'delivered' })).toBe(lane);
    const moved = { ...LANES['calling']!, epoch: 2 };
    expect(after(moved, { kind: 'delivered' })).toBe(moved);
  });

  it('counts as an own failure only if another lane succeeded since the last one', () => {
    const failed = { ...LANES['calling']!, ownFailureCount: 1, failedAt: EARLIER };
    expect(after(failed, away)).toMatchObject({ ownFailureCount: 1, failedAt: NOW });
    expect(after(failed, away, { lastSuccessAt: NOW })).toMatchObject({ ownFailureCount: 2 });
    expect(after(LANES['calling']!, away)).toMatchObject({ ownFailureCount: 1 });
  });

  it('keeps the open call of a parked lane, and stores what is known if it is never answered', () => {
    const create = after(LANES['calling']!, away, { limit: 1 });
    expect(create).toMatchObject({ state: 'parked', parkedReason: 'poison', lookup: { why: 'lost' }, account: 'lost' });
    expect(create.call).toEqual(callWith());
    const update = after(LANES['calling, with an account']!, away, { limit: 1 });
    expect(update).toMatchObject({ lookup: null, confirmedState: null, accountId: 'hp_1' });
  });

  it('drops the call at the limit when something newer waits', () => {
    const next = after(LANES['calling, outdated']!, away, { limit: 1 });
    expect(next).toMatchObject({ call: null, lookup: { why: 'lost' }, parkedReason: null, ownFailureCount: 1 });
  });

  it('of a repeated call that is refused leaves the state of the account unknown', () => {
    const call = callWith({ by: OLDER_TOKEN, platform_id: 'hp_1' });
    const lane = laneWith({ ...LANES['calling, with an account']!, call });
    expect(after(lane, { kind: 'refused', status: 422, detail: '' })).toMatchObject({ confirmedState: null });
    const fresh = LANES['calling, with an account']!;
    expect(after(fresh, { kind: 'refused', status: 422, detail: '' })).toMatchObject({ confirmedState: 'active' });
  });

  it('of a lane that waits for another one does not add up failures', () => {
    const lane = { ...LANES['calling']!, ownFailureCount: 5 };
    expect(after(lane, { kind: 'wait', detail: '' })).toMatchObject({ ownFailureCount: 0, state: 'backing_off' });
  });
});
