import type { SqlRunner } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';
import { apply, lock } from './lock.js';

/**
 * Marks subjects to be sent again as they are now, behind everything that is new.
 *
 * @returns how many were marked
 */
export async function resend(tx: SqlRunner, key: DestinationKey, subjects: readonly string[]): Promise<number> {
  if (subjects.length === 0) return 0;
  const locked = await lock(tx, key, 'l.subject = any($4::text[])', [subjects]);
  return (await apply(tx, key, locked, () => ({ kind: 'resent' }))).length;
}
