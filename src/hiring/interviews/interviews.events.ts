import type { SqlRunner } from '../../base/database/database.js';
import type { InterviewRow, ScorecardRow } from './interview.js';

/** An interview is scheduled. Part of the transaction that makes it. The row of its candidate is locked. */
export class InterviewScheduled {
  constructor(
    readonly tx: SqlRunner,
    readonly tenantId: string,
    readonly interview: InterviewRow,
  ) {}
}

/** The plan of a scheduled interview has changed. Part of that transaction; the candidate is locked. */
export class InterviewMoved extends InterviewScheduled {
  // A class of its own: subscribers are found by class.
  readonly kind = 'moved';
}

/** An interview does not take place: it is cancelled, or the candidate did not come. The candidate is locked. */
export class InterviewCancelled extends InterviewScheduled {
  readonly kind = 'cancelled';
}

/** A new version of a scorecard. Part of the transaction that stores it; the candidate is locked. */
export class ScorecardPut {
  constructor(
    readonly tx: SqlRunner,
    readonly tenantId: string,
    readonly interview: InterviewRow,
    readonly scorecard: ScorecardRow,
  ) {}
}
