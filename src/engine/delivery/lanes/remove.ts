import type { Database } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';

/** Removes the lanes of messages that are delivered: no newer change will come for their subjects. */
export async function removeDelivered(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
  subjects: readonly string[],
): Promise<void> {
  if (subjects.length === 0) return;
  await db.query(
    `delete from lanes
     where tenant_id = $1 and channel = $2 and destination = $3 and subject = any($4::text[]) and state = 'idle'`,
    [tenantId, channel, id, subjects],
  );
}
