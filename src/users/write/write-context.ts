import type { ChangeSource } from '../../identity/source.js';
import type { Door } from '../../seats/seat.rules.js';
import type { AttributeMap } from '../user.mapping.js';

/** What a write has to know of the directory that writes. */
export interface WritingDirectory {
  id: string;
  name: string;
  state: 'live' | 'preview';
  /** null: none yet. */
  defaultRole: string | null;
  attributeMap: AttributeMap;
  onMatch: 'link' | 'refuse';
  /** The directory whose people this one links like unmanaged ones. */
  takesOver: string | null;
  /** Another directory has taken this one over: its writes have no effect any more. */
  superseded: boolean;
  /** Another directory takes over this one, in preview or live. */
  hasSuccessor: boolean;
  hasRules: boolean;
}

/** Who writes, through which door, on whose behalf. Travels as an argument; providers keep nothing of a request. */
export interface WriteContext {
  tenantId: string;
  door: Door;
  /** The directory that writes; null for every other door. */
  directory: WritingDirectory | null;
  source: ChangeSource;
  receivedAt: Date;
  /**
   * Nobody asked at a door: who finds no seat waits, whatever the policy of the door (contract §6), and whose e-mail or
   * key is somebody else's is held.
   */
  mayWait?: boolean;
  /** The waiting list hands out the next free seat: it is this person's turn. */
  inTurn?: boolean;
}
