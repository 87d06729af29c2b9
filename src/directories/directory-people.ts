import type { SqlRunner } from '../base/database/database.js';
import type { ChangeSource } from '../identity/source.js';
import type { DirectoryState } from './directory.js';

/** The seats that a directory in preview would take when it goes live. */
export interface SeatNeed {
  needed: number;
  /** Null: there is no limit. */
  free: number | null;
  /** Users who would find none. */
  missing: number;
}

/** What becomes of a directory's people when the directory itself changes; the rooms that know people implement it. */
export abstract class DirectoryPeople {
  /**
   * The directory is going: its people stay, active and unmanaged, its groups go, and nothing is forwarded. Called in
   * the transaction that deletes the directory.
   */
  abstract release(db: SqlRunner, tenantId: string, directoryId: string, source: ChangeSource): Promise<void>;

  /** Counts the seats that going live would take, and those that are free. */
  abstract seatsNeeded(tenantId: string, directoryId: string): Promise<SeatNeed>;

  /**
   * The directory went from preview to live, or back: what was only shown is now to happen once, as the net difference.
   * Called in the transaction that changes the state; what takes long becomes a job.
   */
  abstract stateChanged(
    db: SqlRunner,
    tenantId: string,
    directoryId: string,
    state: DirectoryState,
    source: ChangeSource,
  ): Promise<void>;
}
