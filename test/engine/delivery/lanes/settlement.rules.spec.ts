import type { LeasedLane } from '../../../../src/engine/delivery/lane-state.js';
import { settlementOf, showsOf } from '../../../../src/engine/delivery/lanes/settlement.rules.js';
import type { Call, Outcome } from '../../../../src/engine/delivery/outcome.js';
import { steadyPause } from '../../../../src/engine/delivery/retry.rules.js';

const lane = (fresh: boolean, failureCount = 0, call: Partial<Call> = {}): LeasedLane => {
  return { fresh, failureCount, call: { lookup: null, ...call } } as LeasedLane;
};
const OPTIONS = steadyPause({ firstMs: 1_000, maxMs: 60_000 });
const settle = (outcome: Outcome, l = lane(true)) => settlementOf(l, outcome, OPTIONS, 1);
const away = (reason: string, retryAfterMs: number | null = null): Outcome => ({
  kind: 'unavailable',
  reason,
  ownFault: true,
  retryAfterMs,
});

describe('settlementOf', () => {
  it.each<[string, Outcome, object]>([
    [
      'delivered',
      { kind: 'delivered', bind: 'hp_1' },
      { done: true, confirm: true, keep: false, bind: 'hp_1', lookup: null, failureCount: 0, failed: false },
    ],
    ['nothing to say', { kind: 'nothing' }, { done: true, confirm: false, keep: false }],
    [
      'a next step',
      { kind: 'next', lookup: { why: 'gone' } },
      { done: false, keep: false, lookup: { why: 'gone' }, waitMs: null, failed: false },
    ],
    [
      'a step in a circle',
      { kind: 'next', lookup: null, circling: true },
      { failed: true, ownFault: true, failureCount: 1, waitMs: 1_000 },
    ],
    ['another lane first', { kind: 'wait', detail: '' }, { keep: false, failed: false, failureCount: 0, waitMs: 500 }],
    [
      'a refusal',
      { kind: 'refused', status: 422, detail: 'no' },
      { parked: 'refused', parkedDetail: 'no', keep: false, lookup: null },
    ],
    ['an account of another user', { kind: 'park', reason: 'x', detail: 'y' }, { parked: 'x', parkedDetail: 'y' }],
    [
      'a time-out',
      away('timeout'),
      { keep: true, failed: true, ownFault: true, failureCount: 1, waitMs: 1_000, done: false },
    ],
    ['a refused connection, the first time', away('refused'), { keep: false, failed: true }],
    ['Retry-After', away('status_503', 20_000), { waitMs: 20_000 }],
    ['a Retry-After of an hour', away('status_503', 3_600_000), { waitMs: 300_000 }],
    [
      'a refused key, the first time',
      { kind: 'stopped', reason: 'credential_refused', detail: '' },
      { keep: false, done: false, failed: false },
    ],
  ])('%s', (_, outcome, settlement) => expect(settle(outcome)).toMatchObject(settlement));

  it('keeps a call whose earlier request may have taken effect', () => {
    expect(settle(away('refused'), lane(false)).keep).toBe(true);
    expect(settle({ kind: 'stopped', reason: 'redirect', detail: '' }, lane(false)).keep).toBe(true);
  });

  it('waits longer and longer for another lane, and counts the waits', () => {
    const pauses = [1, 2, 4, 5, 6, 8, 9, 60].map((waited) => {
      const lookup = { why: 'conflict', waited } as const;
      const settlement = settle({ kind: 'wait', detail: '', lookup }, lane(true, 2, { lookup: { why: 'conflict' } }));
      expect(settlement).toMatchObject({ lookup, failureCount: 2, keep: false, failed: false });
      return settlement.waitMs;
    });
    expect(pauses).toEqual([500, 500, 500, 1_000, 2_000, 8_000, 10_000, 10_000]);
  });

  it('keeps the reason for the lookup', () => {
    const looking = lane(true, 2, { lookup: { why: 'lost' } });
    expect(settle(away('timeout'), looking).lookup).toEqual({ why: 'lost' });
    expect(settle({ kind: 'wait', detail: '' }, looking).lookup).toEqual({ why: 'lost' });
  });
});

describe('showsOf', () => {
  it.each<[Outcome, string]>([
    [{ kind: 'delivered' }, 'alive'],
    [{ kind: 'refused', status: 422, detail: '' }, 'alive'],
    [{ kind: 'next', lookup: { why: 'conflict' } }, 'alive'],
    [{ kind: 'next', lookup: { why: 'gone' } }, 'nothing'],
    [{ kind: 'next', lookup: { why: 'lost' }, bind: null }, 'nothing'],
    [{ kind: 'nothing' }, 'nothing'],
    [away('html'), 'failed'],
  ])('%j', (outcome, shows) => expect(showsOf(outcome)).toBe(shows));
});
