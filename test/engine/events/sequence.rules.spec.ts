import { before, compareSequences, higher, lower, placeBefore } from '../../../src/engine/events/sequence.rules.js';

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
