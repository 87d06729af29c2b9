import type { CandidateRow } from '../candidates/candidate.js';
import { Conflict } from '../../base/errors/domain-error.js';
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

/** The candidate is rejected, hired or archived in the ATS; `force` schedules all the same. */
export class CandidateNotActive extends Conflict {
  constructor({ ats_status: status }: Pick<CandidateRow, 'ats_status'>) {
    super(
      'candidate_not_active',
      `The candidate is ${status} in the ATS. Send "force": true to schedule all the same.`,
      {
        members: { ats_status: status },
      },
    );
  }
}
