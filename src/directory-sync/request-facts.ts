import type { AnswerShare } from '../base/http/answer-budget.js';
import type { LinkedBy } from '../identity/adoption.rules.js';

/** What of a request, beside its body, a write has to know. */
export interface RequestFacts {
  requestId: string;
  receivedAt: Date;
  ifMatch: string | undefined;
  /** What the answer may hold. */
  share: AnswerShare;
  /** Notes in the request log that the write linked a user, and by what. */
  linked?: (by: LinkedBy) => void;
  /** Of a group: does the answer show its members? */
  withMembers?: boolean;
}
