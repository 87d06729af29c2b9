import type { Database, SqlRunner } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';

/** The most lanes that are counted: a scrape reads no more of them. */
const COUNTED = 100_000;

export const REPORTED_CHANNELS = ['platform', 'webhook', 'ats'] as const;

type ReportedChannel = (typeof REPORTED_CHANNELS)[number];

/** The lanes that wait in one channel. More than {@link COUNTED} are not counted, and the oldest is one of these. */
interface Backlog {
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

// Waiting and parked lanes have an index each, which the order names; one condition for both would read every lane.
const backlogSql = (channel: ReportedChannel): string => `
  select d.waiting, p.parked, d.oldest
  from (select count(*) as waiting, extract(epoch from now() - min(pending_since))::float8 as oldest
        from (${waitingSql(channel)}) due) d,
       (select count(*) as parked from (select 1 from destinations d cross join lateral (
            select 1 from lanes where tenant_id = d.tenant_id and channel = '${channel}' and destination = d.id
              and parked_reason is not null
            order by failed_at limit ${COUNTED}) l
          where d.channel = '${channel}' limit ${COUNTED}) parked) p`;

export async function backlog(db: Database, channel: ReportedChannel): Promise<Backlog> {
  const { rows } = await db.query<{ waiting: string; parked: string; oldest: number | null }>(backlogSql(channel));
  const [row] = rows;
  return { waiting: Number(row?.waiting ?? 0), parked: Number(row?.parked ?? 0), oldestSeconds: row?.oldest ?? 0 };
}

/** Counts the waiting and the parked subjects of one destination. */
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

interface PendingFigures {
  waiting: number;
  oldest: Date | null;
  parked: Record<string, number>;
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

/** SQL about the progress of a change. Every condition names the tenant, which is $1. */
interface ProgressSql {
  joinLane: string;
  /** A source that begins with the lanes that have something pending, which are few, and joins their changes. */
  fromPending: string;
  delivered: string;
  parked: string;
  columns: string;
}

/**
 * Returns SQL about the lane of each change. A change has no state of its own.
 *
 * @param changes the table of changes with its alias, and the expressions of its tenant, subject and sequence
 */
export function progressSql(
  { channel, id }: Pick<DestinationKey, 'channel' | 'id'>,
  changes: { table: string; tenant: string; subject: string; sequence: string },
): ProgressSql {
  const lane = `l.tenant_id = $1 and l.channel = '${channel}' and l.destination = '${id}'`;
  const { table, tenant, subject, sequence } = changes;
  return {
    joinLane: `left join lanes l on ${lane} and l.subject = ${subject}`,
    fromPending: `lanes l join ${table} on ${lane} and ${tenant} = $1 and ${subject} = l.subject
      and ${sequence} > l.confirmed_through and l.first_pending is not null`,
    delivered: `l.confirmed_through >= ${sequence}`,
    parked: `l.parked_reason is not null`,
    columns: `l.parked_reason as parked, l.parked_detail, l.confirmed_through, l.confirmed_at as lane_confirmed_at`,
  };
}

/** The columns of lanes that plans are made from, for the planner's statistics. */
export const LANE_STATISTICS = 'tenant_id, channel, destination, subject, first_pending, platform_id';

/** A lane with waiting messages, of a channel that keeps every message. */
export interface WaitingLane {
  /** The id of a message; where messages of a record are in order, the id of the record. */
  subject: string;
  first: string;
  through: string;
  since: Date;
  failures: number;
  /** When it is tried; null as soon as the destination takes it. */
  nextAt: Date | null;
}

const COLUMNS = `l.subject, l.first_pending as first, l.last_pending as through, l.pending_since as since,
  l.failure_count as failures, case when l.state = 'backing_off' then l.next_at end as "nextAt"`;
const OF = `l.tenant_id = $1 and l.channel = $2 and l.destination = $3`;

/** Returns the waiting lanes of some subjects. */
export async function waitingOf(
  db: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  subjects: readonly string[],
): Promise<WaitingLane[]> {
  const { rows } = await db.query<WaitingLane>(
    `select ${COLUMNS} from lanes l where ${OF} and l.subject = any($4::text[]) and l.first_pending is not null`,
    [tenantId, channel, id, subjects],
  );
  return rows;
}

/** In the order of their subjects, with one more than the limit. */
export async function waitingPage(
  db: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  { after, limit }: { after: string | null; limit: number },
): Promise<WaitingLane[]> {
  const { rows } = await db.query<WaitingLane>(
    `select ${COLUMNS} from lanes l
     where ${OF} and l.subject > $4 and l.first_pending is not null order by l.subject limit $5`,
    [tenantId, channel, id, after ?? '', limit + 1],
  );
  return rows;
}
