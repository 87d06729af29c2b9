import { newId } from '../../../base/ids.js';

/** The id and the time of a write; decisions are given them. */
export interface Stamp {
  /** The id of the user if it is new. */
  id: string;
  at: Date;
}

/** Returns a new id and the present time. */
export function newStamp(): Stamp {
  return { id: newId('usr'), at: new Date() };
}
