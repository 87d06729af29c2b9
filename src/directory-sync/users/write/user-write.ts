import type { Decision } from '../../../tenancy/identity/held.rules.js';
import type { HeldReason } from '../../../tenancy/identity/person.js';
import type { UserDraft } from '../user.mapping.js';
import type { KnownAs, UserRow } from '../user.row.js';
import type { IdentityStep } from '../console-rights.rules.js';
import type { StoredDocument } from '../stored-document.js';

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
