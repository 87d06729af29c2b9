import { addLags, countLags, lagAt } from '../../../src/engine/delivery/lags.rules.js';

it('finds the lag that a share does not exceed, rounded up by at most 19 %', () => {
  for (const ms of [1, 9, 10, 11, 250, 4_000, 86_400_000]) {
    const found = lagAt(countLags([ms]), 0.5)!;
    expect(found).toBeGreaterThanOrEqual(Math.max(10, ms));
    expect(found).toBeLessThanOrEqual(Math.max(10, ms * 1.2));
  }
});

it('separates the half from the slowest when most lags are short', () => {
  const counts = countLags([...Array<number>(90).fill(100), ...Array<number>(10).fill(10_000)]);
  expect(lagAt(counts, 0.5)).toBeLessThan(120);
  expect(lagAt(counts, 0.95)).toBeGreaterThanOrEqual(10_000);
});

it('has no lag without a call, and a largest one for lags of more than three weeks', () => {
  expect([countLags([]), lagAt([], 0.5)]).toEqual([[], null]);
  expect(lagAt(countLags([1e12]), 0.5)).toBe(lagAt(countLags([3e9]), 0.5));
});

it('adds counts of different lengths', () => {
  const sum = [1];
  addLags(sum, [2, 3]);
  addLags(sum, [1]);
  expect(sum).toEqual([4, 3]);
});
