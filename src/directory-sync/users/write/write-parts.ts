import type { SqlRunner } from '../../../base/database/database.js';
import type { LinkedBy } from '../../../tenancy/identity/user-change.rules.js';
import type { RoleOrigin, Trigger } from '../../../tenancy/identity/cause.rules.js';
import type { UserRow } from '../user.row.js';
import type { UserWithGroups } from '../users.repository.js';
import type { AfterWrite, Alongside } from './write-case.js';

/** Keeps the write of a directory in preview that would be linked with a user. */
type KeepPreview = (tx: SqlRunner, userId: string, by: LinkedBy) => Promise<void>;

/** What belongs to a creation, and to the link that it may become. */
export interface CreateParts extends Pick<Alongside, 'inSameStatement' | 'afterWrite'> {
  /** The id of a user who was deleted and is made again; left out: a new one. */
  id?: string;
  /** When that user was created first. */
  createdAt?: Date | undefined;
  /** What has led to the creation, if not the request of the source. */
  trigger?: Trigger;
  /** Where the role of the user comes from, if the caller has not chosen it. */
  roleOrigin?: RoleOrigin | undefined;
  afterLink?: AfterWrite;
  /** Takes the place of a link while the directory is in preview. */
  inPreview?: KeepPreview;
}

/** A removal. `ofGone`: of a user who is gone for SCIM already, and of no one who came back meanwhile. */
export interface Removal extends Pick<Alongside, 'inSameStatement'> {
  /** Returns whether the caller may see the user. */
  visible: (row: UserRow) => boolean;
  /** May refuse by throwing, such as for a version that is not the one the caller saw. */
  check?: (row: UserWithGroups) => void;
  ofGone?: boolean;
  /** Statements after the removal, in its transaction. */
  afterWrite?: AfterWrite;
  /** An admin lets the removal take effect that waits for it. */
  releases?: boolean;
  /** What has led to the removal, if not the request of the source. */
  trigger?: Trigger | undefined;
}
