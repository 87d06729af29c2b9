import type { SqlRunner } from '../base/database/database.js';
import type { ChangeSource } from '../identity/source.js';

/** Works off what a changed rule means for people's roles; the rooms that know people implement it. */
export abstract class RoleReview {
  /**
   * The rules or the default role of a directory changed. Called in the transaction that changes them; puts down a job
   * and does no more, so that nobody waits for thousands of people.
   */
  abstract ruleChanged(db: SqlRunner, tenantId: string, directoryId: string, source: ChangeSource): Promise<void>;
}
