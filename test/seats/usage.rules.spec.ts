import { Holders, usageOf } from '../../src/seats/usage.rules.js';

const DAY = ['2026-03-01T00:00:00.000000Z', '2026-03-02T00:00:00.000000Z'] as const;
const at = (hour: number, userId: string | null, delta: number, countAfter: number) => ({
  effective_at: `2026-03-01T${String(hour).padStart(2, '0')}:00:00.000000Z`,
  user_id: userId,
  delta,
  count_after: countAfter,
});
const holdersOf = (...ids: string[]): Holders => {
  const holders = new Holders();
  for (const id of ids) holders.add(id, 1);
  return holders;
};
const usage = (before: number | null, holders: string[], ...rows: ReturnType<typeof at>[]) =>
  usageOf(...DAY, before, holdersOf(...holders), rows);

describe('usage of a day', () => {
  it.each([
    ['nothing happens', usage(2, ['a', 'b']), { peak: 2, average: 2, end: 2, distinct_holders: 2 }],
    ['a time without figures', usage(null, []), { peak: null, average: null, end: null, distinct_holders: null }],
    [
      'the first seat at noon: before it is unknown, not 0',
      usage(null, [], at(12, 'a', 1, 1)),
      { peak: 1, average: 1, end: 1, distinct_holders: 1 },
    ],
    ['one more at noon', usage(1, ['a'], at(12, 'b', 1, 2)), { peak: 2, average: 1.5, end: 2, distinct_holders: 2 }],
    [
      'one for six hours',
      usage(0, [], at(6, 'a', 1, 1), at(12, 'a', -1, 0)),
      { peak: 1, average: 0.25, end: 0, distinct_holders: 1 },
    ],
    [
      'one after the other',
      usage(1, ['a'], at(8, 'a', -1, 0), at(8, 'b', 1, 1)),
      { peak: 1, average: 1, end: 1, distinct_holders: 2 },
    ],
    [
      'all leave at once',
      usage(3, ['a', 'b', 'c'], at(0, 'a', -1, 2), at(0, 'b', -1, 1), at(0, 'c', -1, 0)),
      { peak: 3, average: 0, end: 0, distinct_holders: 3 },
    ],
    [
      'a limit is set: no seat moves',
      usage(1, ['a'], at(5, null, 0, 1)),
      { peak: 1, average: 1, end: 1, distinct_holders: 1 },
    ],
  ])('%s', (_, found, expected) => {
    expect(found).toEqual(expected);
  });

  it('returns the holders at the end of the day', () => {
    const holders = holdersOf('a');
    usageOf(...DAY, 1, holders, [at(1, 'b', 1, 2), at(2, 'a', -1, 1)]);
    expect([holders.size, holders.has('a'), holders.has('b')]).toEqual([1, false, true]);
  });

  it.each([
    ['a release before its claim', [at(1, 'b', -1, 0), at(1, 'b', 1, 1)], [1, true, false], 2],
    ['a claim before the release that made room for it', [at(1, 'a', 1, 2), at(1, 'a', -1, 1)], [1, true, false], 1],
  ])('counts the holders by their sums when %s is sealed', (_, rows, expected, distinct) => {
    const holders = holdersOf('a');
    expect(usageOf(...DAY, 1, holders, rows)).toMatchObject({ end: 1, distinct_holders: distinct });
    expect([holders.size, holders.has('a'), holders.has('b')]).toEqual(expected);
    // The next day begins with the same holders.
    expect(usageOf(...DAY, 1, holders, [])).toMatchObject({ end: 1, distinct_holders: 1 });
  });
});
