import type { Database } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';
import { apply, lock } from './lock.js';

const BATCH = 500;

/** After an outage: lanes that wait out a failure of their own are sent at once. */
export async function endPauses(db: Database, key: DestinationKey): Promise<void> {
  for (;;) {
    const ended = await db.transaction(key.tenantId, async (tx) => {
      const locked = await lock(tx, key, `l.subject = any(array(${WAITING}))`, []);
      return (await apply(tx, key, locked, () => ({ kind: 'destination_returned' }))).length;
    });
    if (ended < BATCH) return;
  }
}

const WAITING = `select n.subject from lanes n
  where n.tenant_id = $1 and n.channel = $2 and n.destination = $3 and n.first_pending is not null
    and n.parked_reason is null and n.state = 'backing_off' limit ${BATCH}`;
