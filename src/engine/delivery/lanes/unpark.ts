import type { SqlRunner } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';
import { apply, lock } from './lock.js';

/** Which parked lanes are sent again. */
export type Parked =
  /** These subjects, if the destination refused them. */
  | { refused: readonly string[] }
  /** Everything that was refused since the last success. */
  | { refusedInARow: true };

/** Sends parked lanes of a destination again: it refused them because of its settings. */
export async function unpark(tx: SqlRunner, key: DestinationKey, which: Parked): Promise<void> {
  const locked =
    'refused' in which
      ? await lock(tx, key, `l.parked_reason = 'refused' and l.subject = any($4::text[])`, [which.refused])
      : await lock(
          tx,
          key,
          `l.parked_reason = 'refused' and l.failed_at > coalesce(d.last_success_at, '-infinity')`,
          [],
        );
  await apply(tx, key, locked, () => ({ kind: 'unparked' }));
}

/**
 * Sends one lane at once, parked or waiting. A call whose outcome is open is repeated unchanged.
 *
 * @returns why it was parked, null if it only waited; undefined: nothing is pending
 */
export async function retry(
  tx: SqlRunner,
  key: DestinationKey,
  subject: string,
): Promise<{ parkedReason: string | null } | undefined> {
  const [locked] = await lock(tx, key, 'l.subject = $4', [subject]);
  if (locked === undefined || locked.lane.state === 'idle') return undefined;
  await apply(tx, key, [locked], () => ({ kind: 'unparked' }));
  return { parkedReason: locked.lane.parkedReason };
}
