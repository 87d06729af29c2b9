import type { SqlRunner } from '../../../base/database/database.js';
import type { WriteStatement } from '../../../base/database/write-statement.js';
import type { LinkedBy } from '../../../tenancy/identity/user-change.rules.js';
import type { RoleOrigin, Trigger } from '../../../tenancy/identity/cause.rules.js';
import type { HeldReason } from '../../../tenancy/identity/person.js';
import type { TenantView } from '../../../tenancy/tenants/tenant.store.js';
import { newId } from '../../../base/ids.js';
import type { RuleRole } from '../role-from-groups.rules.js';
import type { UserDraft } from '../user.mapping.js';
import type { UserRow } from '../user.row.js';
import type { WriteContext } from './write-context.js';

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
