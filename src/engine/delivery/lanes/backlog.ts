import type { Database } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';

/** The most lanes that are counted: a scrape reads no more of them. */
const COUNTED = 100_000;

/** The channels that metrics tell apart. */
export const REPORTED_CHANNELS = ['platform', 'webhook', 'ats'] as const;

type ReportedChannel = (typeof REPORTED_CHANNELS)[number];

/** How much waits in one channel. More than {@link COUNTED} are not counted, and the oldest is one of these. */
export interface Backlog {
  waiting: number;
  parked: number;
  oldestSeconds: number;
}

const WAITS = `l.first_pending is not null and l.parked_reason is null`;

// One step of the index for each destination that something waits for: the lanes of other channels, which may be many, are
// not read, and changes for a platform that is not named yet are counted.
const destinationsThatWait = `
  with recursive t as (
    (select l.tenant_id, l.channel, l.destination from lanes l where ${WAITS}
     order by l.tenant_id, l.channel, l.destination limit 1)
    union all
    select n.* from t, lateral (
      select l.tenant_id, l.channel, l.destination from lanes l
      where ${WAITS} and (l.tenant_id, l.channel, l.destination) > (t.tenant_id, t.channel, t.destination)
      order by l.tenant_id, l.channel, l.destination limit 1) n
  )`;

const waitingSql = (channel: ReportedChannel): string => `
  ${destinationsThatWait}
  select w.pending_since from t cross join lateral (
    select l.pending_since from lanes l
    where l.tenant_id = t.tenant_id and l.channel = '${channel}' and l.destination = t.destination and ${WAITS}
    order by l.rank, l.first_pending limit ${COUNTED}) w
  where t.channel = '${channel}' limit ${COUNTED}`;

// What waits and what is parked has an index each, which the order names; one condition for both would read every lane.
const backlogSql = (channel: ReportedChannel): string => `
  select d.waiting, p.parked, d.oldest
  from (select count(*) as waiting, extract(epoch from now() - min(pending_since))::float8 as oldest
        from (${waitingSql(channel)}) due) d,
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

/** The most lanes of a tenant that are counted for the operator. */
const COUNTED_OF_TENANT = 10_000;
/** The ranks of lanes (`lane-state.ts`): in each, the first lane is the oldest one. */
const RANKS = '0, 1, 2, 3';

/** Returns the tenants whose changes wait longest in a channel. */
export async function longestWaiting(
  db: Database,
  channel: ReportedChannel,
  limit: number,
): Promise<{ tenant_id: string; waiting: number; oldest: Date }[]> {
  const { rows } = await db.query<{ tenant_id: string; waiting: number; oldest: Date }>(
    `select o.tenant_id, o.oldest, (select count(*)::int from (
         select 1 from lanes l where l.tenant_id = o.tenant_id and l.channel = '${channel}'
           and l.destination = o.destination and ${WAITS} limit ${COUNTED_OF_TENANT}) n) as waiting
     from (${destinationsThatWait}
       select t.tenant_id, t.destination, min(w.pending_since) as oldest
       from t cross join unnest(array[${RANKS}]) r(rank) cross join lateral (
         select l.pending_since from lanes l
         where l.tenant_id = t.tenant_id and l.channel = '${channel}' and l.destination = t.destination and l.rank = r.rank
           and ${WAITS}
         order by l.first_pending limit 1) w
       where t.channel = '${channel}' group by 1, 2 order by oldest limit $1) o
     order by o.oldest`,
    [limit],
  );
  return rows;
}
