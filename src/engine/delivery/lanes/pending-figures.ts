import type { Database } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';

/** How much is pending of one destination. */
export interface PendingFigures {
  waiting: number;
  /** Since when the oldest of them waits; null: nothing waits. */
  oldest: Date | null;
  /** Subjects that are parked, by reason. */
  parked: Record<string, number>;
}

/** Returns how many subjects of one destination wait, since when, and how many are parked for which reason. */
export async function pendingFiguresOf(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
): Promise<PendingFigures> {
  const { rows } = await db.query<{ waiting: number; oldest: Date | null; parked: Record<string, number> }>(
    `select w.waiting, w.oldest, p.parked
     from (select count(*)::int as waiting, min(pending_since) as oldest from lanes
           where tenant_id = $1 and channel = $2 and destination = $3
             and first_pending is not null and parked_reason is null) w,
          (select coalesce(jsonb_object_agg(r.parked_reason, r.n), '{}') as parked from (
             select parked_reason, count(*) as n from lanes
             where tenant_id = $1 and channel = $2 and destination = $3 and parked_reason is not null
             group by parked_reason) r) p`,
    [tenantId, channel, id],
  );
  return rows[0]!;
}
