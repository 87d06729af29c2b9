import type { SqlRunner } from '../../base/database/database.js';
import type { PageRequest } from '../../base/http/page.js';
import type { GroupMemberBody } from './groups.dto.js';

/** A group in the list of an admin. */
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

/** A port: what a directory has, of the tables of `users`. `users` implements it. */
export abstract class DirectoryContent {
  abstract counts(tenantId: string, directoryId: string): Promise<DirectoryCounts>;

  /** Returns the groups of a directory, the newest first. */
  abstract groups(tenantId: string, directoryId: string, page: PageRequest): Promise<GroupListRow[]>;

  /**
   * Returns pending members in the order of groups and members. The position of a page is both ids with a blank
   * between.
   */
  abstract pendingMembers(tenantId: string, directoryId: string, page: PageRequest): Promise<PendingMemberRow[]>;

  /** Returns whether a directory has a group. */
  abstract hasGroup(tenantId: string, directoryId: string, groupId: string): Promise<boolean>;

  /** Returns the users who are members of a group, in the order of their ids. Nested groups are left out. */
  abstract groupMembers(tenantId: string, groupId: string, page: PageRequest): Promise<GroupMemberBody[]>;

  /** Returns the names of groups by id. Groups that are unknown are left out. */
  abstract groupNames(db: SqlRunner | null, tenantId: string, ids: readonly string[]): Promise<Map<string, string>>;

  /** Locks groups of a directory against deletion, in the order of their ids, and returns the ids of those that exist. */
  abstract lockGroups(
    tx: SqlRunner,
    tenantId: string,
    directoryId: string,
    ids: readonly string[],
  ): Promise<Set<string>>;
}
