import type { SqlRunner } from '../../base/database/database.js';
import { Conflict } from '../../base/errors/domain-error.js';
import type { CandidateRow } from '../candidates/candidate.js';
import type { InterviewState, InterviewRow, ScorecardRow } from './interview.js';
import { movesFrom } from './interview.rules.js';

/** The state of the interview does not allow this; the error names the states that it can move to. */
export class IllegalState extends Conflict {
  constructor(state: InterviewState, detail: string) {
    super('illegal_state', detail, { members: { state, allowed: movesFrom(state) } });
  }
}

export class ScorecardVersionConflict extends Conflict {
  constructor(next: number) {
    super('scorecard_version', `The next version of this scorecard is ${next}.`, { members: { next_version: next } });
  }
}

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

/** An interview is scheduled. Part of the transaction that makes it, which has locked its candidate. */
export class InterviewScheduled {
  constructor(
    readonly tx: SqlRunner,
    readonly tenantId: string,
    readonly interview: InterviewRow,
  ) {}
}

/** The plan of a scheduled interview has changed. Part of that transaction, which has locked the candidate. */
export class InterviewMoved extends InterviewScheduled {
  // A class of its own: subscribers are found by class.
  readonly kind = 'moved';
}

/** An interview is cancelled, or the candidate did not come. The transaction has locked the candidate. */
export class InterviewCancelled extends InterviewScheduled {
  readonly kind = 'cancelled';
}

/** A new version of a scorecard. Part of the transaction that stores it, which has locked the candidate. */
export class ScorecardPut {
  constructor(
    readonly tx: SqlRunner,
    readonly tenantId: string,
    readonly interview: InterviewRow,
    readonly scorecard: ScorecardRow,
  ) {}
}
