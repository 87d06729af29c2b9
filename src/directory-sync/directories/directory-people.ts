import type { SqlRunner } from '../../base/database/database.js';
import type { ChangeSource } from '../../identity/source.js';
import type { DirectoryState } from './directory.js';

/** What becomes of a directory's people when the directory itself changes; the rooms that know people implement it. */
export abstract class DirectoryPeople {
  /**
   * The directory is going: its people stay, active and unmanaged, its groups go, and nothing is forwarded. Called in
   * the transaction that deletes the directory.
   */
  abstract release(db: SqlRunner, tenantId: string, directoryId: string, source: ChangeSource): Promise<void>;

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
