import { roundUp, withDayOnce } from '../../../web/parts/chart/steps.rules.js';
import { elapsedTime } from '../../../web/parts/time.rules.js';

describe('the axes of a chart', () => {
  it('have whole numbers at the top and at its half', () => {
    for (const value of [0, 1, 2, 3, 4, 5, 9, 10, 11, 19, 40, 99, 101, 250, 4_711]) {
      const top = roundUp(value);
      expect([value, top >= value, top % 2]).toEqual([value, true, 0]);
    }
  });

  it.each([
    ['of one day, once', ['2026-11-28 08:00', '2026-11-28 20:00'], ['2026-11-28 08:00', '20:00']],
    ['where it changes', ['2026-11-28 20:00', '2026-11-29 08:00'], ['2026-11-28 20:00', '2026-11-29 08:00']],
    ['without hours, each', ['2026-11-01', '2026-11-30'], ['2026-11-01', '2026-11-30']],
  ])('have the day %s', (_, labels, expected) => expect(withDayOnce(labels)).toEqual(expected));
});

it.each([
  [0, '0 seconds'],
  [1, '1 second'],
  [31, '31 seconds'],
  [60, '1 minute'],
  [7_300, '2 hours'],
  [-5, '0 seconds'],
])('says how long a time of %s seconds ago is past: %s', (seconds, words) => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  expect(elapsedTime(new Date(now - seconds * 1000).toISOString(), now)).toBe(words);
});
