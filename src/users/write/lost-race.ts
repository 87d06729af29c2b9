import { codeOf } from '../../base/database/database.js';

/** Somebody else changed the row between our reading and our writing: decide again. Never leaves the room. */
export class LostRace extends Error {}

/** Somebody else was quicker, by the row's version, a unique index or a deadlock: the same again, as things are now. */
export function isLost(error: unknown): boolean {
  return error instanceof LostRace || ['23505', '40P01', '40001'].includes(codeOf(error));
}
