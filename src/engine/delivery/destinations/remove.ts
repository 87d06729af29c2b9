import type { Database, SqlRunner } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';

/** The number of lanes that one statement removes: none holds its locks for long. */
const BATCH = 5_000;

/** The reason of the pause in which a removed destination ends. */
export const REMOVED = 'removed';

/**
 * Marks a destination as removed: from now on nothing is sent there. Its row stays for a while, since a write that did
 * not know it yet may still add a lane.
 */
export async function removeDestination(tx: SqlRunner, { tenantId, channel, id }: DestinationKey): Promise<void> {
  await tx.query(
    `update destinations set state = 'paused', state_reason = '${REMOVED}', state_detail = null, key_sealed = null,
       next_probe_at = null, version = version + 1, updated_at = now()
     where tenant_id = $1 and channel = $2 and id = $3`,
    [tenantId, channel, id],
  );
}

/** Removes everything that waits for a destination, batch by batch. */
export async function removeLanes(db: Database, { tenantId, channel, id }: DestinationKey): Promise<void> {
  for (;;) {
    const { rowCount } = await db.query(
      `delete from lanes where tenant_id = $1 and channel = $2 and destination = $3 and subject = any(array(
         select l.subject from lanes l where l.tenant_id = $1 and l.channel = $2 and l.destination = $3
         order by l.subject limit ${BATCH}))`,
      [tenantId, channel, id],
    );
    if ((rowCount ?? 0) < BATCH) return;
  }
}

/** What is left of removed destinations: lanes that came later, or that a process which ended has left. */
export const DESTINATION_LEFTOVERS = [
  `delete from lanes l using destinations d
   where d.state_reason = '${REMOVED}' and l.tenant_id = d.tenant_id and l.channel = d.channel and l.destination = d.id`,
  `delete from destinations where state_reason = '${REMOVED}' and updated_at < now() - interval '1 hour'`,
  // Messages of a paused endpoint whose events were dropped: nothing is left of them that could be sent.
  `delete from lanes l using destinations d, event_floors f
   where d.channel = 'webhook' and d.state = 'paused' and f.tenant_id = d.tenant_id
     and l.tenant_id = d.tenant_id and l.channel = 'webhook' and l.destination = d.id and l.rank = any('{1,2,3}')
     and l.first_pending is not null and l.parked_reason is null and l.first_pending <= f.sequence
     and l.last_pending <= f.sequence and l.state <> 'calling'`,
] as const;
