import type { SqlRunner } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';

/**
 * Gives a destination another address. What waits is sent there. A pause stays: another address alone does not show that
 * calls arrive. What was counted against the old address does not count.
 */
export async function moveDestination(
  tx: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  baseUrl: string,
): Promise<void> {
  await tx.query(
    `update destinations set base_url = $4, version = version + 1, epoch = epoch + 1,
       state = case state when 'open' then 'ok' else state end,
       state_reason = case state when 'open' then null else state_reason end,
       state_detail = case state when 'open' then null else state_detail end,
       state_since = case state when 'open' then now() else state_since end,
       probes = 0, next_probe_at = null, failing_since = null, failing_stage = 0, updated_at = now()
     where tenant_id = $1 and channel = $2 and id = $3 and base_url <> $4`,
    [tenantId, channel, id, baseUrl],
  );
}
