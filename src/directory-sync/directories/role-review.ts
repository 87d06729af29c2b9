import type { SqlRunner } from '../../base/database/database.js';
import type { ChangeSource } from '../../tenancy/identity/source.js';

/** A port: updates the roles of users when rules change. `directory-sync` implements it. */
export abstract class RoleReview {
  /**
   * Adds a task in the transaction that changes the rules or the default role of a directory, so that no request waits
   * for thousands of users.
   */
  abstract ruleChanged(db: SqlRunner, tenantId: string, directoryId: string, source: ChangeSource): Promise<void>;
}
