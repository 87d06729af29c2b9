import type { Database } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';

/** How much is pending of one destination. */
export interface PendingFigures {
  waiting: number;
  /** Since when the oldest of them waits; null: nothing waits. */
  oldest: Date | null;
  /** Subjects that are parked, by reason. */
  parked: Record<string, number>;
  /** Calls that the destination took in the last 5 and 15 minutes. */
  delivered5: number;
  delivered15: number;
}

/** Returns how many subjects of one destination wait, since when, how many are parked for which reason, and its rate. */
export async function pendingFiguresOf(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
): Promise<PendingFigures> {
  const { rows } = await db.query<PendingFigures>(
    `select w.waiting, w.oldest, p.parked, m.delivered5, m.delivered15
     from (select count(*)::int as waiting, min(pending_since) as oldest from lanes
           where tenant_id = $1 and channel = $2 and destination = $3
             and first_pending is not null and parked_reason is null) w,
          (select coalesce(jsonb_object_agg(r.parked_reason, r.n), '{}') as parked from (
             select parked_reason, count(*) as n from lanes
             where tenant_id = $1 and channel = $2 and destination = $3 and parked_reason is not null
             group by parked_reason) r) p,
          (select coalesce(sum(delivered) filter (where minute > now() - interval '5 minutes'), 0)::int as delivered5,
             coalesce(sum(delivered), 0)::int as delivered15 from delivered_minutes
           where tenant_id = $1 and channel = $2 and destination = $3 and minute > now() - interval '15 minutes') m`,
    [tenantId, channel, id],
  );
  return rows[0]!;
}
