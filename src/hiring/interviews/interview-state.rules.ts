import type { InterviewState } from './interview.js';

/** The moves of an interview. States without a move are final. */
const MOVES: Readonly<Record<InterviewState, readonly InterviewState[]>> = {
  scheduled: ['in_progress', 'cancelled', 'no_show'],
  in_progress: ['completed', 'cancelled', 'no_show'],
  completed: [],
  cancelled: [],
  no_show: [],
};

/** The states in which a scorecard is taken: it completes the interview, or is a further version. */
const SCORED: ReadonlySet<InterviewState> = new Set(['scheduled', 'in_progress', 'completed']);

/** Returns the states that an interview can move to by hand. */
export function movesFrom(state: InterviewState): readonly InterviewState[] {
  return MOVES[state];
}

/** Returns whether an interview can move to a state by hand. Staying where it is, is no move. */
export function mayMove(from: InterviewState, to: InterviewState): boolean {
  return from === to || MOVES[from].includes(to);
}

/** Returns whether an interview takes a scorecard. */
export function takesScorecard(state: InterviewState): boolean {
  return SCORED.has(state);
}
