import { heldCounts, rateOf } from '../../../src/overview/status/status.service.js';

describe('held counts', () => {
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
});

describe('rate', () => {
  const NOW = new Date('2026-10-01T12:00:00Z');

  it.each([
    [{ waiting: 0, delivered5: 50, delivered15: 60 }, [10, 4], null],
    [{ waiting: 0, delivered5: 0, delivered15: 0 }, [0, 0], null],
    [{ waiting: 100, delivered5: 0, delivered15: 0 }, [0, 0], null],
    [{ waiting: 100, delivered5: 50, delivered15: 60 }, [10, 4], '2026-10-01T12:10:00.000Z'],
    [{ waiting: 4, delivered5: 0, delivered15: 30 }, [0, 2], '2026-10-01T12:02:00.000Z'],
    [{ waiting: 1, delivered5: 1, delivered15: 1 }, [0.2, 0.1], '2026-10-01T12:05:00.000Z'],
  ])('the rate of %j is %j a minute, with the end %s', (figures, [last5, last15], end) => {
    const { rate, estimated_end } = rateOf(figures, NOW);
    expect(rate).toEqual({ last_5_minutes: last5, last_15_minutes: last15 });
    expect(estimated_end?.toISOString() ?? null).toBe(end);
  });
});
