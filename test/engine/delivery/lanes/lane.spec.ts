import type { Lane, LaneState } from '../../../../src/engine/delivery/lane-state.js';
import {
  accountOf,
  transition,
  LANE_COLUMNS,
  laneOf,
  type LaneRow,
} from '../../../../src/engine/delivery/lanes/lane.js';
import { createsAccount } from '../../../../src/engine/delivery/outcome.js';
import {
  callWith,
  EARLIER,
  EVENTS,
  LANES,
  laneWith,
  LATER,
  NOW,
  TOKEN,
  OLDER_TOKEN,
  settledBy,
} from '../../../support/lanes.js';

describe('lane', () => {
  const [i, d, c, b, p] = ['idle', 'due', 'calling', 'backing_off', 'parked'] as const;
  /** The event is refused: the lane stays as it is. */
  const _ = null;

  // The state after each event, for each lane of test/support/lanes.ts in its order:
  // idle ×3, due ×4, calling ×5, backing_off ×3, parked ×2.
  const TABLE: Record<string, (LaneState | null)[]> = {
    enqueued: [d, d, d, d, d, d, d, c, c, c, c, c, d, d, d, d, d],
    'enqueued, older': [_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _],
    claimed: [_, _, _, c, c, c, c, _, _, _, _, c, _, _, c, _, _],
    'claimed early': [_, _, _, c, c, c, c, _, _, _, _, c, c, c, c, _, _],
    delivered: [_, _, _, _, _, _, _, i, d, i, i, _, _, _, _, _, _],
    'nothing to send': [_, _, _, _, _, _, _, i, d, i, i, _, _, _, _, _, _],
    'next step': [_, _, _, _, _, _, _, d, d, d, d, _, _, _, _, _, _],
    waits: [_, _, _, _, _, _, _, b, b, b, b, _, _, _, _, _, _],
    unavailable: [_, _, _, _, _, _, _, b, b, b, b, _, _, _, _, _, _],
    'unavailable at the limit': [_, _, _, _, _, _, _, p, b, p, p, _, _, _, _, _, _],
    refused: [_, _, _, _, _, _, _, p, d, p, p, _, _, _, _, _, _],
    stopped: [_, _, _, _, _, _, _, d, d, d, d, _, _, _, _, _, _],
    'handed back': [_, _, _, _, _, _, _, d, d, d, d, _, _, _, _, _, _],
    unparked: [_, _, _, d, d, d, d, c, c, c, c, c, d, d, d, d, d],
    resent: [d, d, d, d, d, d, d, c, c, c, c, c, d, d, d, d, d],
    rebound: [d, d, i, d, d, d, d, d, d, d, d, d, d, d, d, d, d],
    imported: [i, _, _, d, _, _, _, _, _, _, _, _, _, b, b, p, _],
    dismissed: [_, _, _, _, _, _, _, _, _, _, _, _, _, _, _, i, i],
    'destination returned': [_, _, _, _, _, _, _, _, _, _, _, _, d, d, d, _, _],
    'account released': [_, _, i, _, _, _, _, _, _, _, _, _, _, _, _, _, _],
    'names needed': [_, _, d, _, _, _, _, _, _, _, _, _, _, _, _, _, _],
  };

  describe('transition', () => {
    it('has a row for each event and a column for each lane', () => {
      expect(Object.keys(TABLE)).toEqual(Object.keys(EVENTS));
      for (const row of Object.values(TABLE)) expect(row).toHaveLength(Object.keys(LANES).length);
    });

    const cases = Object.entries(TABLE).flatMap(([event, row]) =>
      Object.entries(LANES).map(([name, lane], n) => [event, name, lane, row[n] ?? null] as const),
    );
    it.each(cases)('%s: %s', (event, _name, lane, expected) => {
      const next = transition(lane, EVENTS[event]!(lane), NOW);
      if (expected === null) expect(next).toBe(lane);
      else {
        expect(next).not.toBe(lane);
        expect(next.state).toBe(expected);
      }
      expect(brokenRules(next)).toEqual([]);
    });
  });

  /** The check constraint of the table, as it reads in TypeScript. */
  function brokenRules(lane: Lane): string[] {
    const { state } = lane;
    const has = (value: unknown): boolean => value !== null;
    const rules: Record<string, boolean> = {
      'something is pending unless idle': has(lane.firstPending) === (state !== 'idle'),
      'pending since': has(lane.pendingSince) === (state !== 'idle'),
      'only calling has a lease': has(lane.leaseToken) === (state === 'calling'),
      'calling has a call, idle has none':
        (state !== 'calling' || has(lane.call)) && (state !== 'idle' || !has(lane.call)),
      'only parked has a reason': has(lane.parkedReason) === (state === 'parked'),
      'only calling and backing_off wait': has(lane.nextAt) === (state === 'calling' || state === 'backing_off'),
      'only an open call is outdated': !has(lane.newerSince) || has(lane.call),
      'the account is what is known': lane.account === accountOf(lane),
    };
    return Object.entries(rules).flatMap(([rule, holds]) => (holds ? [] : [rule]));
  }

  describe('a claim', () => {
    it('freezes the target, and repeats an open call unchanged', () => {
      const claim = EVENTS['claimed']!(LANES['due']!);
      const fresh = transition(LANES['due']!, claim, NOW);
      expect(fresh).toMatchObject({ leaseToken: TOKEN, nextAt: LATER, callCount: 4 });
      expect(fresh.call).toEqual(callWith({ n: 4 }));
      const open = LANES['due, with an open call']!;
      expect(transition(open, claim, NOW)).toMatchObject({ call: open.call, callCount: 3, newerSince: EARLIER });
    });

    it('forgets the state of another address', () => {
      const lane = LANES['due, at an earlier address']!;
      const next = transition(lane, EVENTS['claimed']!(lane), NOW);
      expect(next).toMatchObject({ epoch: 1, accountId: null, confirmedState: null, account: 'none', callCount: 4 });
      expect(next.call).toMatchObject({ n: 4, platform_id: null, confirmed: null, known: null });
    });
  });

  describe('accountOf', () => {
    it('marks a call as creating exactly when the call creates an account', () => {
      for (const accountId of [null, 'hp_1'])
        for (const confirmedState of [null, 'active', 'inactive', 'deleted'] as const)
          for (const why of [null, 'conflict', 'gone', 'lost', 'no_id', 'dissolved', 'found', 'aside'] as const) {
            const lookup = why === null ? null : { why };
            const lane = laneWith({ accountId, confirmedState, lookup });
            const call = callWith({ platform_id: accountId, confirmed: confirmedState, lookup });
            expect(['none', 'unnamed'].includes(lane.account)).toBe(createsAccount(call));
            const unknown = accountId === null && (confirmedState === 'active' || why === 'lost' || why === 'no_id');
            expect(['unnamed', 'lost'].includes(lane.account)).toBe(unknown);
          }
    });
  });
});

describe('settled', () => {
  describe('an outcome', () => {
    const after = (lane: Lane, ...of: Parameters<typeof settledBy> extends [Lane, ...infer R] ? R : never): Lane =>
      transition(lane, settledBy(lane, ...of), NOW);
    const away = { kind: 'unavailable', reason: 'timeout', ownFault: true, retryAfterMs: null } as const;

    it('confirms the values of the call, and keeps newer changes', () => {
      const next = after(LANES['calling, outdated']!, { kind: 'delivered', bind: 'hp_9' });
      expect(next).toMatchObject({
        accountId: 'hp_9',
        confirmedState: 'active',
        confirmedThrough: 7,
        confirmedAt: NOW,
      });
      expect(next).toMatchObject({ firstPending: 8, lastPending: 9, pendingSince: EARLIER, call: null });
    });

    it('confirms nothing when the user is to be sent again while the call is under way', () => {
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
      expect(create).toMatchObject({
        state: 'parked',
        parkedReason: 'poison',
        lookup: { why: 'lost' },
        account: 'lost',
      });
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
});

describe('lane row', () => {
  const row: LaneRow = {
    subject: 'usr_1',
    state: 'idle',
    target_state: 'active',
    rank: 1,
    first_pending: null,
    last_pending: '7',
    pending_since: null,
    newer_since: null,
    round: 0,
    epoch: 1,
    call_count: 3,
    call: null,
    lease_token: null,
    lookup: null,
    platform_id: null,
    account: 'none',
    confirmed_state: null,
    confirmed_digest: null,
    confirmed_through: '0',
    confirmed_at: null,
    failure_count: 0,
    own_failure_count: 0,
    failed_at: null,
    next_at: -Infinity,
    parked_reason: null,
    parked_detail: null,
  };

  it('reads a lane: sequences as numbers, and no time for -infinity', () => {
    expect(laneOf(row)).toEqual(laneWith());
    const pending = laneOf({
      ...row,
      first_pending: '5',
      lease_token: OLDER_TOKEN,
      next_at: LATER,
      platform_id: 'hp_1',
    });
    expect(pending).toMatchObject({ firstPending: 5, leaseToken: OLDER_TOKEN, nextAt: LATER, accountId: 'hp_1' });
  });

  it('selects each column that it reads', () => {
    expect(LANE_COLUMNS.replaceAll(/\s/g, '').replaceAll('l.', '').split(',').sort()).toEqual(Object.keys(row).sort());
  });
});
