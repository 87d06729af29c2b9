import { Conflict, DomainError } from '../base/errors/domain-error.js';
import type { InterviewState } from './interview.js';
import { movesFrom } from './interview-state.rules.js';

/** The interview is not in a state in which this can happen; names the states that it can move to. */
export class IllegalState extends Conflict {
  constructor(state: InterviewState, detail: string) {
    super('illegal_state', detail, { members: { state, allowed: movesFrom(state) } });
  }
}

/** The scorecard names a version that is not the next one; names the next one. */
export class ScorecardVersionConflict extends Conflict {
  constructor(next: number) {
    super('scorecard_version', `The next version of this scorecard is ${next}.`, { members: { next_version: next } });
  }
}

/** The interview engine gave no meeting: nothing was scheduled. */
export class EngineUnavailable extends DomainError {
  readonly kind = 'unavailable';
  readonly code = 'engine_unavailable';
  constructor(cause: unknown) {
    super('The interview engine gave no meeting. Nothing was scheduled; try again.', {
      headers: { 'Retry-After': '5' },
      cause,
    });
  }
}
