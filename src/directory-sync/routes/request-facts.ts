import type { AnswerShare } from '../../base/http/answer-budget.js';
import type { RequestEffect } from '../../base/http/request.js';

/** Facts of a request that a write needs beside the body. */
export interface RequestFacts {
  requestId: string;
  receivedAt: Date;
  ifMatch: string | undefined;
  /** The memory that the answer may use. */
  share: AnswerShare;
  /** Notes for the logs what the write did. */
  done?: (effect: RequestEffect) => void;
  /** Whether the answer shows the members of the group. */
  withMembers?: boolean;
}
