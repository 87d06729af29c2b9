import type { Call, Lookup } from '../../src/engine/delivery/outcome.js';
import type { LeasedLane } from '../../src/engine/delivery/lane-state.js';
import type { Bound } from '../../src/forwarding/accounts.js';
import { waitFor } from '../../src/forwarding/waiting.rules.js';

const lane = (lookup: Lookup | null): LeasedLane => ({ subject: 'usr_1', call: { lookup } as Call }) as LeasedLane;
const bound = (more: Partial<Bound> = {}): Bound => ({
  subject: 'usr_2',
  target_state: 'active',
  pending: true,
  parked: false,
  waiting: false,
  ...more,
});
const conflict = (waited?: number): Lookup => ({
  why: 'conflict',
  id: 'hp_1',
  ...(waited === undefined ? {} : { waited }),
});

describe('waitFor', () => {
  it('counts the waits, and keeps the name to look up', () => {
    expect(waitFor(lane(conflict()), bound())).toMatchObject({
      kind: 'wait',
      lookup: { ...conflict(1), behind: 'usr_2' },
    });
    expect(waitFor(lane(conflict(1)), bound())).toMatchObject({ kind: 'wait', lookup: conflict(2) });
    expect(waitFor(lane(null), bound())).toMatchObject({ kind: 'wait', lookup: { why: 'lost', waited: 1 } });
  });

  it.each<[string, number, Partial<Bound>, 'wait' | 'park']>([
    ['for one who is slow', 59, {}, 'wait'],
    ['for one who is slow, too long', 60, {}, 'park'],
    ['for one who waits as well', 19, { waiting: true }, 'wait'],
    ['for one who waits as well, too long', 20, { waiting: true }, 'park'],
    ['for one who is parked by now', 3, { parked: true }, 'park'],
  ])('%s', (_, waited, more, kind) => expect(waitFor(lane(conflict(waited)), bound(more)).kind).toBe(kind));

  it('names both users and the next step', () => {
    const outcome = waitFor(lane(conflict(20)), bound({ waiting: true }));
    const { detail } = outcome as { detail: string };
    for (const words of ['usr_1', 'usr_2', 'Retry', 'interim address']) expect(detail).toContain(words);
  });
});
