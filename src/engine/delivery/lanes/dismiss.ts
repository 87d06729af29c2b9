import type { SqlRunner } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';
import { apply, lock } from './lock.js';

/** What was given up: the changes behind `after`, up to `through`. */
export interface Dismissed {
  parkedReason: string;
  after: number;
  through: number;
}

/**
 * Gives up what is pending of a parked subject; the lane waits for the next change. What stays known of a call without an
 * answer was stored when the lane was parked.
 *
 * @returns null if the lane is not parked
 */
export async function dismiss(tx: SqlRunner, key: DestinationKey, subject: string): Promise<Dismissed | null> {
  const [locked] = await lock(tx, key, 'l.subject = $4', [subject]);
  if (locked?.lane.state !== 'parked') return null;
  await apply(tx, key, [locked], () => ({ kind: 'dismissed' }));
  const { parkedReason, confirmedThrough, lastPending } = locked.lane;
  return { parkedReason: parkedReason!, after: confirmedThrough, through: lastPending };
}
