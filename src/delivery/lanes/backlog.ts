import type { Database } from '../../base/database/database.js';
import type { DestinationKey } from '../destinations/destination.js';

/** So many lanes are counted at the most: a scrape reads no more of them. */
const COUNTED = 100_000;

/** The channels that metrics tell apart. */
export const REPORTED_CHANNELS = ['platform', 'webhook'] as const;

type ReportedChannel = (typeof REPORTED_CHANNELS)[number];

/** How much waits in one channel. More than {@link COUNTED} are not counted, and the oldest is one of these. */
export interface Backlog {
  waiting: number;
  parked: number;
  oldestSeconds: number;
}

// What waits and what is parked has an index each, which the order names; one condition for both would read every lane. The
// destinations come first: the lanes of other channels, which may be many, are not read.
const backlogSql = (channel: ReportedChannel): string => `
  select d.waiting, p.parked, d.oldest
  from (select count(*) as waiting, extract(epoch from now() - min(pending_since))::float8 as oldest
        from (select l.pending_since from destinations d cross join lateral (
            select pending_since from lanes
            where tenant_id = d.tenant_id and channel = '${channel}' and destination = d.id
              and first_pending is not null and parked_reason is null
            order by rank, first_pending limit ${COUNTED}) l
          where d.channel = '${channel}' limit ${COUNTED}) due) d,
       (select count(*) as parked from (select 1 from destinations d cross join lateral (
            select 1 from lanes where tenant_id = d.tenant_id and channel = '${channel}' and destination = d.id
              and parked_reason is not null
            order by failed_at limit ${COUNTED}) l
          where d.channel = '${channel}' limit ${COUNTED}) parked) p`;

/** Returns how much waits in a channel and for how long, for the metrics. */
export async function backlog(db: Database, channel: ReportedChannel): Promise<Backlog> {
  const { rows } = await db.query<{ waiting: string; parked: string; oldest: number | null }>(backlogSql(channel));
  const [row] = rows;
  return { waiting: Number(row?.waiting ?? 0), parked: Number(row?.parked ?? 0), oldestSeconds: row?.oldest ?? 0 };
}

/** Returns how many subjects of one destination wait, and how many are parked. */
export async function pendingOf(
  db: Database,
  { tenantId, channel, id }: DestinationKey,
): Promise<{ waiting: number; parked: number }> {
  const { rows } = await db.query<{ waiting: number; parked: number }>(
    `select
       (select count(*) from lanes where tenant_id = $1 and channel = $2 and destination = $3
          and first_pending is not null and parked_reason is null)::int as waiting,
       (select count(*) from lanes where tenant_id = $1 and channel = $2 and destination = $3
          and parked_reason is not null)::int as parked`,
    [tenantId, channel, id],
  );
  return rows[0]!;
}
