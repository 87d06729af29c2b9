import type { AnswerShare } from '../../base/http/answer-budget.js';
import type { LinkedBy } from '../../tenancy/identity/adoption.rules.js';

/** Facts of a request that a write needs beside the body. */
export interface RequestFacts {
  requestId: string;
  receivedAt: Date;
  ifMatch: string | undefined;
  /** The memory that the answer may use. */
  share: AnswerShare;
  /** Notes in the request log that the write linked a user, and by what. */
  linked?: (by: LinkedBy) => void;
  /** Whether the answer shows the members of the group. */
  withMembers?: boolean;
}
