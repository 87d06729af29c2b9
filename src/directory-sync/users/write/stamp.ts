import { newId } from '../../../base/ids.js';

/** The id and the time of a write; decisions are given them. */
export interface Stamp {
  /** The id of the user if it is new. */
  id: string;
  at: Date;
}

/** Returns a new id, or the given one, and the present time. */
export function newStamp(id = newId('usr')): Stamp {
  return { id, at: new Date() };
}
