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

/** The part of a directory's settings that a write of its users depends on. */
export interface WritingDirectory {
  id: string;
  name: string;
  state: 'live' | 'preview';
  /** null: none yet. */
  defaultRole: string | null;
  attributeMap: AttributeMap;
  onMatch: 'link' | 'refuse';
  /** The directory whose users this one links like unmanaged ones. */
  takesOver: string | null;
  /** Another directory has taken this one over: its writes have no effect any more. */
  superseded: boolean;
  /** Another directory takes over this one, in preview or live. */
  hasSuccessor: boolean;
  hasRules: boolean;
  /** The roles that its group rules name. */
  ruleRoles: readonly string[];
  /** Writes of it wait for an admin, which it reads back. */
  keepsWrites: boolean;
  /** The `roles` of a resource may give a role whose holders administer the tenant. */
  mayGrantConsole: boolean;
  guard: Guard;
}

/** The origin of a write. It travels as an argument; providers keep nothing of a request. */
export interface WriteContext {
  tenantId: string;
  channel: WriteChannel;
  /** The directory that writes; null for every other channel. */
  directory: WritingDirectory | null;
  source: ChangeSource;
  receivedAt: Date;
  /**
   * No request waits for an answer: a user who finds no seat waits under every policy of the channel, and a user whose
   * e-mail or key another user has is held.
   */
  mayWait?: boolean;
  /** The waiting list hands out the next free seat: it is this user's turn. */
  inTurn?: boolean;
}

/** The id and the time of a write; decisions are given them. */
export interface Stamp {
  /** The id of the user if it is new. */
  id: string;
  at: Date;
  /** When the user was created first; left out: by this write. */
  createdAt?: Date | undefined;
}

/** Returns a new id, or those of a user who is made again, and the present time. */
export function newStamp({ id = newId('usr'), createdAt }: Partial<Omit<Stamp, 'at'>> = {}): Stamp {
  return { id, createdAt, at: new Date() };
}

/** Statements after that of a write, in its transaction, about the user written. */
export type AfterWrite = (tx: SqlRunner, userId: string) => Promise<void>;

/** Rows of other rooms that stand or fall with a write. */
export interface Alongside {
  /** Adds rows to the statement of the write, such as its line in the audit log. */
  inSameStatement?: ((statement: WriteStatement) => void | Promise<void>) | undefined;
  /** Needs a transaction, and so the pessimistic write. */
  afterWrite?: AfterWrite | undefined;
  /** Locks the user's row before the statement: what the statement ends must include a sign-in that is being written. */
  lockFirst?: boolean;
}

/** What a channel wants of a user that exists. */
export type Edit = Alongside & {
  draft: UserDraft;
  /** What has led to the edit, where its kind does not tell. */
  trigger?: Trigger | undefined;
  /** The directory whose write about the user waits for an admin from now on; left out: unchanged. */
  keptFor?: string | null;
} &
  /** `fields`: what a write of the users API names. */
  (
    | { kind: 'change'; roleSet?: string; roleOrigin?: RoleOrigin; fields?: readonly string[] }
    /** The user becomes one of the directory's. */
    | { kind: 'link'; directoryId: string; by: LinkedBy }
    /** Nothing was written: the effective state is worked out again, and stored if it differs. */
    | { kind: 'reconsider'; released?: HeldReason }
    /** The effective state becomes the requested one; `discardedRole`: the role of rules or default that it is without. */
    | { kind: 'discard'; discardedRole: string | null; released: HeldReason | null }
  );

/** All that a decision about a write depends on; nothing in it asks the database. */
export interface WriteCase {
  /** The write. A decision does not depend on its source; a preview has none. */
  ctx: Omit<WriteContext, 'source'>;
  tenant: TenantView;
  /** null: a new user. */
  row: UserRow | null;
  draft: UserDraft;
  /** The role that was set through the users API; a role of the directory itself comes first. */
  roleSet: string | null;
  /** Where `roleSet` comes from, if this write sets it and its caller has not chosen it. */
  roleOrigin?: RoleOrigin | undefined;
  /** Roles that the directory's group rules give, in the order of the rules. */
  fromRules: RuleRole[];
  released: HeldReason | null;
  /** The role that this write discards; left out: the one discarded before. See `UserRow`. */
  discardedRole?: string | null;
  /** The directory whose write about the user waits for an admin, after this write; left out: none. */
  keptFor?: string | null;
  /** What has led to a creation, if not the request of the source. */
  trigger?: Trigger | undefined;
  /** The fields that a write of the users API names. They take effect although the directory is silent. */
  named?: readonly string[] | undefined;
}

/** What the database has to be asked before a write is safe. The optimistic write assumes that nothing is in the way. */
export interface Conflicts {
  emailTaken: boolean;
  externalIdTaken: boolean;
  /** Another active user has a value that the user would keep in place of a taken one. */
  formerTaken: boolean;
  /** Another active user has the `userName`, which would replace a taken key, as its key. */
  standInTaken: boolean;
  seatFree: boolean;
  /** The guard of the directory lets no further user go, or have another identity or role. */
  guardReached: boolean;
  changesReached: boolean;
}

/** The assumption of the optimistic write; its guards check it. */
export const NO_CONFLICTS: Conflicts = {
  emailTaken: false,
  externalIdTaken: false,
  formerTaken: false,
  standInTaken: false,
  seatFree: true,
  guardReached: false,
  changesReached: false,
};

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

/** Everything of a write that goes into the user's own row. */
export interface UserWrite {
  id: string;
  directoryId: string | null;
  source: UserRow['source'];
  draft: UserDraft;
  /** The draft's document as it is stored. */
  document: StoredDocument;
  decision: Decision;
  roleSet: string | null;
  /** See `UserRow`. */
  discardedRole: string | null;
  released: HeldReason | null;
  /** See `UserRow`. */
  keptFor: string | null;
  everActive: boolean;
  /** See `UserRow`. */
  knownAs: KnownAs | null;
  /** See `UserRow`. */
  nameWritten: boolean;
  /** Another identity of a user who administers: its bindings and sessions end. */
  identity: IdentityStep | null;
  /** The cost centre in force afterwards. */
  costCenter: string | null;
  createdAt: Date;
  at: Date;
}
