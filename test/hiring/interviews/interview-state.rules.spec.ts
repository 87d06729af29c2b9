import { INTERVIEW_STATES } from '../../../src/hiring/interviews/interview.js';
import { mayMove, movesFrom, takesScorecard } from '../../../src/hiring/interviews/interview-state.rules.js';

it.each([
  ['scheduled', ['in_progress', 'cancelled', 'no_show'], true],
  ['in_progress', ['completed', 'cancelled', 'no_show'], true],
  ['completed', [], true],
  ['cancelled', [], false],
  ['no_show', [], false],
] as const)('%s moves to %j; takes a scorecard: %s', (state, moves, scored) => {
  expect(movesFrom(state)).toEqual(moves);
  expect(INTERVIEW_STATES.filter((to) => mayMove(state, to)).sort()).toEqual([state, ...moves].sort());
  expect(takesScorecard(state)).toBe(scored);
});
