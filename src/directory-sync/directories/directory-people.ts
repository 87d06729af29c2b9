import type { SqlRunner } from '../../base/database/database.js';
import type { ChangeSource } from '../../tenancy/identity/person.js';
import type { Directory, DirectoryState } from './directory.js';
import type { GroupRule } from './groups.dto.js';

/** The seats that going live of a directory in preview would take. */
export interface SeatNeed {
  needed: number;
  /** Null: there is no limit. */
  free: number | null;
  /** Users who would find no free seat. */
  missing: number;
}

/** Settings of a directory that decide about the roles of its users. */
export type RoleSettings = Pick<Directory, 'defaultRole' | 'mayGrantConsole' | 'attributeMap'>;

/** What would change of a directory: its group rules, or settings that decide about roles. */
export interface ChangedDirectory {
  rules?: readonly GroupRule[];
  settings?: RoleSettings;
}

/** What going live of a directory in preview demands to be confirmed. */
export interface LiveNeed extends SeatNeed {
  /** Administrators who would lose the console. */
  administrators: number;
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

  /**
   * Counts what going live needs: the seats that it would take, the free seats, and the administrators who would lose the console.
   *
   * @param settings those that the request changes as well; left out: none
   */
  abstract liveNeed(tenantId: string, directoryId: string, settings?: RoleSettings): Promise<LiveNeed>;

  /** Counts the administrators who would lose the console by a change of rules or settings. */
  abstract administratorsLost(tenantId: string, directoryId: string, changed: ChangedDirectory): Promise<number>;

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
