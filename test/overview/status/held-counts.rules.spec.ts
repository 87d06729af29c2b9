import { heldCounts } from '../../../src/overview/status/held-counts.rules.js';

it('adds the directories up, and names those of the guard', () => {
  expect(
    heldCounts([
      { reason: 'guard', directory_id: 'dir_2', n: 3 },
      { reason: 'guard', directory_id: 'dir_1', n: 2 },
      { reason: 'no_role', directory_id: 'dir_1', n: 4 },
      { reason: 'no_email', directory_id: null, n: 1 },
    ]),
  ).toEqual({
    held: { guard: 5, no_role: 4, no_email: 1 },
    guard: { held: 5, directories: ['dir_1', 'dir_2'] },
  });
});

it('is empty where no user is held', () => {
  expect(heldCounts([])).toEqual({ held: {}, guard: { held: 0, directories: [] } });
});
