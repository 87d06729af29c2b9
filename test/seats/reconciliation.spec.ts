import { differencesOf, firstDifference, type Finding } from '../../src/seats/reconciliation.js';

const finding = (more: Partial<Finding> = {}): Finding => ({
  user_id: 'usr_a',
  in_force: false,
  net: 0,
  differs: true,
  pairs: [{ first: { sequence: 9, entry_id: 100 }, second: { sequence: 12, entry_id: 99 } }],
  ...more,
});
const days = [8, 9, 11, 12].map((sequence, i) => ({ day: `2026-01-0${i + 1}`, sequence }));

it('names the closed days between two lines that are in a wrong order', () => {
  expect(differencesOf([finding()], days)).toEqual([
    { user_id: 'usr_a', in_force: false, in_ledger: false, lines: [[9, 12]], days: ['2026-01-02', '2026-01-03'] },
  ]);
});

it('names no day when the lines are in order', () => {
  expect(differencesOf([finding({ net: 1, pairs: [] })], days)).toMatchObject([
    { in_ledger: true, lines: [], days: [] },
  ]);
});

it.each([
  [finding(), { sequence: 12, entry_id: '99', problem: expect.stringContaining('lines 9 and 12 about usr_a') }],
  [finding({ user_id: null }), { sequence: 12, entry_id: '99', problem: expect.stringContaining('about the limit') }],
  [
    finding({ net: 1, pairs: [] }),
    {
      sequence: 20,
      entry_id: null,
      problem: 'the lines about usr_a add up to 1, and the user is not in force with a seat',
    },
  ],
  [
    finding({ in_force: true, pairs: [] }),
    {
      sequence: 20,
      entry_id: null,
      problem: 'the lines about usr_a add up to 0, and the user is in force with a seat',
    },
  ],
])('describes the first difference in a sentence: case %#', (found, expected) => {
  expect(firstDifference([found], 20)).toEqual(expected);
});
