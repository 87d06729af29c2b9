import type { SqlRunner } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';
import { apply, lock } from './lock.js';

const BATCH = 500;

/**
 * Moves the next lanes to another address of their destination: what was known at the old one is forgotten, and every
 * active subject is sent to the new one. Lanes that a worker has already met at the new address are left alone.
 *
 * @param after the last subject of the batch before
 * @returns how many were moved, and the last subject; `next` is null after the last batch
 */
export async function rebind(
  tx: SqlRunner,
  key: DestinationKey,
  epoch: number,
  after: string,
): Promise<{ moved: number; next: string | null }> {
  const locked = await lock(tx, key, `l.subject = any(array(${NEXT_SUBJECTS}))`, [after]);
  const moved = (await apply(tx, key, locked, () => ({ kind: 'rebound', epoch }))).length;
  return { moved, next: locked.length < BATCH ? null : locked.at(-1)!.subject };
}

const NEXT_SUBJECTS = `select n.subject from lanes n
  where n.tenant_id = $1 and n.channel = $2 and n.destination = $3 and n.subject > $4 order by n.subject limit ${BATCH}`;

/** Returns the number of subjects that a move of the destination sends again: each has its lane. */
export async function boundSubjects(db: SqlRunner, { tenantId, channel, id }: DestinationKey): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `select count(*)::int as n from lanes where tenant_id = $1 and channel = $2 and destination = $3`,
    [tenantId, channel, id],
  );
  return rows[0]!.n;
}
