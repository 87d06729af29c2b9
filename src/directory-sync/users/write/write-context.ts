import type { ChangeSource } from '../../../tenancy/identity/person.js';
import type { WriteChannel } from '../../../seats/seat.rules.js';
import type { AttributeMap, Guard } from '../../directories/directory.js';

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
