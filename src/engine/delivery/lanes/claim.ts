import { randomUUID } from 'node:crypto';
import type { SqlRunner, Database } from '../../../base/database/database.js';
import type { Destination, DestinationKey } from '../destination.js';
import { ASIDE, type LeasedLane, type Policy } from '../lane-state.js';
import type { Call } from '../outcome.js';

export interface ClaimOptions {
  limit: number;
  leaseMs: number;
  /** `probe`: the destination is open, and the call asks whether it is back. */
  mode: 'normal' | 'probe';
  policy: Policy;
  early?: boolean;
  /** Pass over the lanes that stand aside while they wait. */
  inLineOnly?: boolean;
}

/** The lanes that may be claimed: `due`, `backing_off` and `calling`. The words are those of the index `lanes_due`. */
const CLAIMABLE = `l.first_pending is not null and l.parked_reason is null`;

// The event `claimed` of `transition`, as one statement: a test compares the two. The gate holds the claim to what the
// worker read: a destination that was changed, opened or paused since then gives no lanes. The lanes are an array: for a
// join, a planner that met many due lanes reads the whole table.
const claimSql = (early: boolean): string => `
  with gate as materialized (
    select epoch from destinations where tenant_id = $1 and channel = $2 and id = $3 and version = $4 and state = $5
  ), due as materialized (
    select l.subject from lanes l
    where l.tenant_id = $1 and l.channel = $2 and l.destination = $3 and ${CLAIMABLE}
      and l.rank < $10 and (l.next_at <= now() ${early ? `or l.state = 'backing_off'` : ''}) and exists (select 1 from gate)
    order by l.rank, l.first_pending limit $6 for update skip locked
  )
  update lanes l set
    state = 'calling', next_at = now() + $7 * interval '1 millisecond', lease_token = $8::uuid, epoch = g.epoch,
    call_count = case when ${REPEATED} then l.call_count else l.call_count + 1 end,
    newer_since = case when ${REPEATED} then l.newer_since end,
    call = case when ${REPEATED} then l.call else ${FROZEN_CALL} end,
    platform_id = ${known('platform_id')}, confirmed_state = ${known('confirmed_state')},
    confirmed_digest = ${known('confirmed_digest')}, lookup = ${known('lookup')},
    account = case when l.epoch = g.epoch then l.account else 'none' end
  from gate g
  where l.tenant_id = $1 and l.channel = $2 and l.destination = $3
    and l.subject = any(array(select due.subject from due))
  returning l.subject, l.call, l.failure_count,
    extract(epoch from now() - l.pending_since)::float8 * 1000 as waited_ms`;
const REPEATED = `(l.call is not null and l.epoch = g.epoch)`;

// The columns as the JSON of a `Call`.
const CALL_FIELDS = {
  v: '1',
  n: 'l.call_count + 1',
  by: '$8::uuid',
  state: 'l.target_state',
  as: '$9::jsonb ->> l.target_state',
  person: 'l.target_body',
  first: 'l.first_pending',
  through: 'l.last_pending',
  round: 'l.round',
  epoch: 'g.epoch',
  platform_id: known('platform_id'),
  confirmed: known('confirmed_state'),
  known: known('confirmed_digest'),
  lookup: known('lookup'),
} satisfies Record<keyof Call, string>;
const FROZEN_CALL = `json_build_object(${Object.entries(CALL_FIELDS)
  .map(([name, sql]) => `'${name}', ${sql}`)
  .join(', ')})`;

/** SQL of a column of the lane; knowledge about another address does not count at this one. */
function known(column: string): string {
  return `case when l.epoch = g.epoch then l.${column} end`;
}

interface ClaimedRow {
  subject: string;
  call: Call;
  failure_count: number;
  waited_ms: number;
}

const CLAIM = claimSql(false);
const CLAIM_EARLY = claimSql(true);

/**
 * Leases due lanes of one destination and freezes their calls: leavers first, then by age. Returns none if the destination has
 * changed since the worker read it.
 */
export async function claim(db: SqlRunner, destination: Destination, options: ClaimOptions): Promise<LeasedLane[]> {
  const token = randomUUID();
  const claimedAt = performance.now();
  const { tenantId, channel, id, version } = destination;
  const { rows } = await db.query<ClaimedRow>(options.early ? CLAIM_EARLY : CLAIM, [
    tenantId,
    channel,
    id,
    version,
    options.mode === 'probe' ? 'open' : 'ok',
    options.limit,
    options.leaseMs,
    token,
    JSON.stringify(options.policy),
    options.inLineOnly === true ? ASIDE : ASIDE + 1,
  ]);
  const lanes = rows.map(({ subject, call, failure_count: failureCount, waited_ms: waitedMs }): LeasedLane => {
    return { subject, token, call, failureCount, fresh: call.by === token, claimedAt, waitedMs };
  });
  // The order of an update's answer is the database's own.
  return lanes.sort((a, b) => rankOf(a) - rankOf(b) || a.call.first - b.call.first);
}

function rankOf({ call }: LeasedLane): number {
  return call.state === 'active' ? 1 : 0;
}

// One step of the index for each destination: the cost does not grow with what waits. `limit 1` keeps the planner from
// reading the destinations of all tenants for the few that are due.
const DUE = `
  with recursive t as (
    (select l.tenant_id, l.channel, l.destination, l.rank from lanes l where ${CLAIMABLE}
     order by l.tenant_id, l.channel, l.destination, l.rank limit 1)
    union all
    select n.* from t, lateral (
      select l.tenant_id, l.channel, l.destination, l.rank from lanes l
      where ${CLAIMABLE} and (l.tenant_id, l.channel, l.destination) > (t.tenant_id, t.channel, t.destination)
      order by l.tenant_id, l.channel, l.destination, l.rank limit 1) n
  )
  select d.tenant_id as "tenantId", d.channel, d.id, t.rank = ${ASIDE} as aside
  from t cross join lateral (
    select d.* from destinations d where d.tenant_id = t.tenant_id and d.channel = t.channel and d.id = t.destination
    limit 1) d
  where d.state = 'ok' or (d.state = 'open' and d.next_probe_at <= now())`;

interface DueDestination extends DestinationKey {
  aside: boolean;
}

export async function due(db: Database): Promise<DueDestination[]> {
  const { rows } = await db.query<DueDestination>(DUE);
  return rows;
}
