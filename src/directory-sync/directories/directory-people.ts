import type { SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import type { ChangeSource } from '../../tenancy/identity/person.js';
import type { GroupRule, GroupMemberBody } from './directories.dto.js';
import type { Directory, DirectoryState } from './directory.js';

/** The seats that going live of a directory in preview would take. */
export interface SeatNeed {
  needed: number;
  /** Null when there is no limit. */
  free: number | null;
  missing: number;
}

/** Settings of a directory that decide about the roles of its users. */
export type RoleSettings = Pick<Directory, 'defaultRole' | 'mayGrantConsole' | 'attributeMap'>;

/** A change of a directory that can move roles. */
export interface ChangedDirectory {
  rules?: readonly GroupRule[];
  settings?: RoleSettings;
}

/** The seats and administrators that going live of a directory in preview concerns. */
export interface LiveNeed extends SeatNeed {
  administrators: number;
}

/** A port: changes the users of a directory when the directory changes. */
export abstract class DirectoryPeople {
  /**
   * Releases the users of a directory in the transaction that deletes it. The users stay active and become unmanaged.
   * The groups are deleted, and nothing is forwarded.
   */
  abstract release(db: SqlRunner, tenantId: string, directoryId: string, source: ChangeSource): Promise<void>;

  /** Adds a task that computes roles again, in the transaction that changes rules or settings of a directory. */
  abstract ruleChanged(db: SqlRunner, tenantId: string, directoryId: string, source: ChangeSource): Promise<void>;

  abstract liveNeed(tenantId: string, directoryId: string, settings?: RoleSettings): Promise<LiveNeed>;

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

/** A group in the list of an administrator. */
export interface GroupListRow {
  id: string;
  display_name: string;
  external_id: string | null;
  members: number;
  pending_members: number;
  created_at: Date;
  updated_at: Date;
}

/** A member of a group whose user does not exist yet. */
export interface PendingMemberRow {
  group_id: string;
  group: string;
  member_id: string;
  display: string | null;
  since: Date;
}

/** Numbers of a directory, for its detail page. */
export interface DirectoryCounts {
  users: number;
  unmanaged: number;
  groups: number;
  pending_members: number;
}

/** A port: the content of a directory in the tables of `users`. */
export abstract class DirectoryContent {
  abstract counts(tenantId: string, directoryId: string): Promise<DirectoryCounts>;

  abstract groups(tenantId: string, directoryId: string, page: PageRequest): Promise<GroupListRow[]>;

  /**
   * Returns pending members in the order of groups and members. The position of a page is both ids with a blank
   * between.
   */
  abstract pendingMembers(tenantId: string, directoryId: string, page: PageRequest): Promise<PendingMemberRow[]>;

  abstract hasGroup(tenantId: string, directoryId: string, groupId: string): Promise<boolean>;

  /** Returns the users who are members of a group, in the order of their ids, without nested groups. */
  abstract groupMembers(tenantId: string, groupId: string, page: PageRequest): Promise<GroupMemberBody[]>;

  abstract groupNames(db: SqlRunner | null, tenantId: string, ids: readonly string[]): Promise<Map<string, string>>;

  /** Locks groups of a directory against deletion, in the order of their ids. Returns the ids of those that exist. */
  abstract lockGroups(
    tx: SqlRunner,
    tenantId: string,
    directoryId: string,
    ids: readonly string[],
  ): Promise<Set<string>>;
}

/** A directory is being deleted. A handler clears its rows in the same transaction, or refuses by an error. */
export class DirectoryDeleted {
  constructor(
    readonly tx: SqlRunner,
    readonly tenantId: string,
    readonly directoryId: string,
    /** Also where a credential was used in the last 24 hours. */
    readonly force: boolean,
  ) {}
}
