import {
  HorizonMarks,
  type Look,
  before,
  compareSequences,
  higher,
  lower,
  placeBefore,
} from '../../../src/engine/events/horizon.rules.js';

describe('horizon', () => {
  const look = (last: number, own: number | null, oldest: number, started = 'once'): Look => ({
    last: BigInt(last),
    own: own === null ? null : BigInt(own),
    oldest: BigInt(oldest),
    started,
  });

  const horizonAfter = (...looks: Look[]): number => {
    const marks = new HorizonMarks();
    for (const one of looks) marks.take(one);
    return Number(marks.horizon);
  };

  it.each<[name: string, looks: Look[], horizon: number]>([
    ['one look proves its sequence when no older transaction is open', [look(7, 100, 100)], 7],
    ['an older transaction holds it back', [look(7, 100, 99)], 0],
    ['a later look proves it once the older transaction is over', [look(7, 100, 99), look(9, 105, 104)], 7],
    ['a transaction as old as the mark is the look itself', [look(7, 100, 99), look(9, 105, 100)], 7],
    ['a look without a mark of its own proves the marks before', [look(7, 100, 99), look(7, null, 101)], 7],
    [
      'several marks are proved up to the oldest open transaction',
      [look(1, 10, 5), look(2, 20, 5), look(3, 30, 20)],
      2,
    ],
    ['what was proved stays', [look(7, 100, 100), look(9, 105, 50)], 7],
    ['another server begins anew', [look(7, 100, 100), look(7, null, 3, 'again')], 0],
    ['a database that was put back begins anew', [look(7, 100, 100), look(4, 60, 50)], 0],
  ])('%s', (_, looks, horizon) => {
    expect(horizonAfter(...looks)).toBe(horizon);
  });

  it('asks for no mark of a sequence that has one', () => {
    const marks = new HorizonMarks();
    expect(marks.newest).toBe(0n);
    marks.take(look(7, 100, 99));
    expect(marks.newest).toBe(7n);
    marks.take(look(7, null, 101));
    expect(marks.newest).toBe(7n);
  });

  it('keeps a bounded number of marks beside a long transaction, and proves the newest in the end', () => {
    const marks = new HorizonMarks();
    for (let i = 1; i <= 10_000; i++) marks.take(look(i, 1000 + i, 1000));
    expect(marks['waiting'].length).toBeLessThanOrEqual(65);
    expect(marks.horizon).toBe(0n);
    marks.take(look(10_000, null, 99_999));
    expect(marks.horizon).toBe(10_000n);
  });
});

describe('sequence', () => {
  it('compares by value, not as text', () => {
    expect(compareSequences('9', '10')).toBeLessThan(0);
    expect(compareSequences('100', '99')).toBeGreaterThan(0);
    expect(compareSequences('42', '42')).toBe(0);
    expect([lower('9', '10'), higher('9', '10'), before('100')]).toEqual(['9', '10', '99']);
  });

  describe('the place before a moment', () => {
    const rows = [3, 10, 11, 500, 9_000_000_000].map((sequence, i) => ({
      sequence: String(sequence),
      at: new Date(1_000 * (i + 1)),
    }));
    const placeFrom = async (sequence: string) =>
      rows.find((row) => compareSequences(row.sequence, sequence) >= 0) ?? null;

    it.each<[ms: number, first: string | undefined]>([
      [0, '3'],
      [1_000, '3'],
      [1_001, '10'],
      [3_500, '500'],
      [5_000, '9000000000'],
      [5_001, undefined],
    ])('at %i ms is right before the first row of that moment or later', async (ms, first) => {
      const place = await placeBefore(new Date(ms), placeFrom);
      expect(rows.find((row) => compareSequences(row.sequence, place) > 0)?.sequence).toBe(first);
    });

    it('of an empty table is before everything that may come', async () => {
      const place = await placeBefore(new Date(), async () => null);
      expect(place).toBe('0');
    });
  });
});
