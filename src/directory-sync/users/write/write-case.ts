import type { SqlRunner } from '../../../base/database/database.js';
import type { WriteStatement } from '../../../base/database/write-statement.js';
import { newId } from '../../../base/ids.js';
import type { WriteChannel } from '../../../seats/seat.rules.js';
import type { RoleOrigin, Trigger } from '../../../tenancy/identity/cause.rules.js';
import type { Decision } from '../../../tenancy/identity/held.rules.js';
import type { ChangeSource, HeldReason } from '../../../tenancy/identity/person.js';
import type { LinkedBy } from '../../../tenancy/identity/user-change.rules.js';
import type { TenantView } from '../../../tenancy/tenants/tenant.store.js';
import type { AttributeMap, Guard } from '../../directories/directory.js';
import type { RuleRole, IdentityStep } from '../role.rules.js';
import type { UserDraft } from '../user.mapping.js';
import type { UserRow, KnownAs, StoredDocument } from '../user.row.js';
import type { UserWithGroups } from '../users.repository.js';

/** The settings of a directory that a write of its users depends on. */
export interface WritingDirectory {
  id: string;
  name: string;
  state: 'live' | 'preview';
  /** Null when none is decided yet. */
  defaultRole: string | null;
  attributeMap: AttributeMap;
  onMatch: 'link' | 'refuse';
  /** This directory links users of that one like unmanaged users. */
  takesOver: string | null;
  /** Another directory has taken this one over: its writes have no effect. */
  superseded: boolean;
  /** Another directory takes over this one, in preview or live. */
  hasSuccessor: boolean;
  hasRules: boolean;
  ruleRoles: readonly string[];
  /** Writes wait for an administrator, and the directory reads them back. */
  keepsWrites: boolean;
  /** SCIM `roles` may give a role whose holders administer the tenant. */
  mayGrantConsole: boolean;
  guard: Guard;
}

/** The origin of a write. It travels as an argument; providers keep no state of a request. */
export interface WriteContext {
  tenantId: string;
  channel: WriteChannel;
  directory: WritingDirectory | null;
  source: ChangeSource;
  receivedAt: Date;
  /**
   * No request waits for an answer: a user without a free seat waits under every policy of the channel, and another
   * user's e-mail or key holds the user.
   */
  mayWait?: boolean;
  /** The waiting list gives the next free seat to this user. */
  inTurn?: boolean;
}

export interface Stamp {
  /** Only of a new user. */
  id: string;
  at: Date;
  /** When the user was created first, where that was before this write. */
  createdAt?: Date | undefined;
}

/** Returns the present time with a new id, or with the id of a user who is created again. */
export function newStamp({ id = newId('usr'), createdAt }: Partial<Omit<Stamp, 'at'>> = {}): Stamp {
  return { id, createdAt, at: new Date() };
}

export type AfterWrite = (tx: SqlRunner, userId: string) => Promise<void>;

/** Rows of other rooms that are part of a write. */
export interface Alongside {
  inSameStatement?: ((statement: WriteStatement) => void | Promise<void>) | undefined;
  /** Needs a transaction, and so the pessimistic write. */
  afterWrite?: AfterWrite | undefined;
  /** Locks the user's row first: what the statement ends must include a concurrent sign-in. */
  lockFirst?: boolean;
}

export type Edit = Alongside & {
  draft: UserDraft;
  trigger?: Trigger | undefined;
  /** The directory whose write about the user waits for an administrator from now on. Undefined: unchanged. */
  keptFor?: string | null;
} &
  /** `fields` are those that a write of the users API names. */
  (
    | { kind: 'change'; roleSet?: string; roleOrigin?: RoleOrigin; fields?: readonly string[] }
    /** The user becomes one of the directory's. */
    | { kind: 'link'; directoryId: string; by: LinkedBy }
    /** The effective state is decided again, and stored if it differs. */
    | { kind: 'reconsider'; released?: HeldReason }
    /** The effective state becomes the requested one, without `discardedRole` of rules or default. */
    | { kind: 'discard'; discardedRole: string | null; released: HeldReason | null }
  );

/** The input of a decision about a write, without the database. */
export interface WriteCase {
  /** A decision does not depend on the source; a preview has none. */
  ctx: Omit<WriteContext, 'source'>;
  tenant: TenantView;
  row: UserRow | null;
  draft: UserDraft;
  /** The role that the users API set; a role of the directory comes first. */
  roleSet: string | null;
  /** The origin of `roleSet`, if this write sets it and its caller has not chosen it. */
  roleOrigin?: RoleOrigin | undefined;
  fromRules: RuleRole[];
  released: HeldReason | null;
  /** The role that this write discards. Undefined: the stored one, see `UserRow`. */
  discardedRole?: string | null;
  /** The directory whose write about the user waits for an administrator after this write. */
  keptFor?: string | null;
  trigger?: Trigger | undefined;
  /** The fields that a write of the users API names. They take effect although the directory has no effect. */
  named?: readonly string[] | undefined;
}

/** Facts that the database knows about a write. The optimistic write assumes that there is no conflict. */
export interface Conflicts {
  emailTaken: boolean;
  externalIdTaken: boolean;
  /** Another active user has a value that the user would keep in place of a taken one. */
  formerTaken: boolean;
  /** Another active user has the `userName` as its key, which would replace a taken key. */
  standInTaken: boolean;
  seatFree: boolean;
  /** The guard of the directory admits no further departure, or no other identity or role. */
  guardReached: boolean;
  changesReached: boolean;
}

export const NO_CONFLICTS: Conflicts = {
  emailTaken: false,
  externalIdTaken: false,
  formerTaken: false,
  standInTaken: false,
  seatFree: true,
  guardReached: false,
  changesReached: false,
};

/** Stores the write of a directory in preview that would be linked with a user. */
type KeepPreview = (tx: SqlRunner, userId: string, by: LinkedBy) => Promise<void>;

export interface CreateParts extends Pick<Alongside, 'inSameStatement' | 'afterWrite'> {
  /** The id of a deleted user who is created again. */
  id?: string;
  createdAt?: Date | undefined;
  trigger?: Trigger;
  /** The origin of the role, if the caller has not chosen the role. */
  roleOrigin?: RoleOrigin | undefined;
  afterLink?: AfterWrite;
  /** Replaces the link while the directory is in preview. */
  inPreview?: KeepPreview;
}

/** `ofGone`: only of a user who is already deleted for SCIM. */
export interface Removal extends Pick<Alongside, 'inSameStatement'> {
  visible: (row: UserRow) => boolean;
  /** May throw, such as for a version that the caller did not see. */
  check?: (row: UserWithGroups) => void;
  ofGone?: boolean;
  afterWrite?: AfterWrite;
  /** An administrator releases the removal that waits. */
  releases?: boolean;
  /** The cause of the removal, if not the request of the source. */
  trigger?: Trigger | undefined;
}

export interface UserWrite {
  id: string;
  directoryId: string | null;
  source: UserRow['source'];
  draft: UserDraft;
  document: StoredDocument;
  decision: Decision;
  roleSet: string | null;
  discardedRole: string | null;
  released: HeldReason | null;
  keptFor: string | null;
  everActive: boolean;
  knownAs: KnownAs | null;
  nameWritten: boolean;
  /** Another identity of a user who administers: bindings and sessions end. */
  identity: IdentityStep | null;
  costCenter: string | null;
  createdAt: Date;
  at: Date;
}
