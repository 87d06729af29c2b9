import type { SqlRunner } from '../../base/database/database.js';
import type { ChangeSource } from '../../tenancy/identity/source.js';
import type { DirectoryState } from './directory.js';

/** The seats that going live of a directory in preview would take. */
export interface SeatNeed {
  needed: number;
  /** Null: there is no limit. */
  free: number | null;
  /** Users who would find no free seat. */
  missing: number;
}

/** A port: changes the users of a directory when the directory changes. `directory-sync` implements it. */
export abstract class DirectoryPeople {
  /**
   * Releases the users of a directory in the transaction that deletes it. The users stay active and become unmanaged,
   * the groups are deleted, and nothing is forwarded.
   */
  abstract release(db: SqlRunner, tenantId: string, directoryId: string, source: ChangeSource): Promise<void>;

  /**
   * Adds a task in the transaction that changes the rules or the default role of a directory: roles follow without a request
   * that waits for thousands of users.
   */
  abstract ruleChanged(db: SqlRunner, tenantId: string, directoryId: string, source: ChangeSource): Promise<void>;

  /** Counts the seats that going live would take, and the free seats. */
  abstract seatsNeeded(tenantId: string, directoryId: string): Promise<SeatNeed>;

  /**
   * Adds the work of a change between preview and live, in the transaction that changes the state. Each user changes
   * once, by the net difference. Long work becomes a task.
   */
  abstract stateChanged(
    db: SqlRunner,
    tenantId: string,
    directoryId: string,
    state: DirectoryState,
    source: ChangeSource,
  ): Promise<void>;
}
