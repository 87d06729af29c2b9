import { randomUUID } from 'node:crypto';
import type { SqlRunner } from '../../base/database/database.js';
import type { Destination } from '../destinations/destination.js';
import type { LeasedLane, Policy } from '../lane-state.js';
import { LANE_COLUMNS, laneOf, type LaneRow } from './lane-row.mapping.js';

/** What a claim may take. */
export interface ClaimOptions {
  limit: number;
  leaseMs: number;
  /** `probe`: the destination is open, and the call asks whether it is back. */
  mode: 'normal' | 'probe';
  policy: Policy;
  /** Take a lane although its pause is not over yet. */
  early?: boolean;
}

/** The lanes that may be claimed: `due`, `backing_off` and `calling`. The words are those of the index `lanes_due`. */
export const CLAIMABLE = `l.first_pending is not null and l.parked_reason is null`;

// The event `claimed` of `transition`, as one statement: a test compares the two. The gate holds the claim to what the
// worker knows: a destination that was changed, opened or paused since then gives out nothing.
const claimSql = (early: boolean): string => `
  with gate as materialized (
    select epoch from destinations where tenant_id = $1 and channel = $2 and id = $3 and version = $4 and state = $5
  ), due as materialized (
    select l.subject from lanes l
    where l.tenant_id = $1 and l.channel = $2 and l.destination = $3 and ${CLAIMABLE}
      and (l.next_at <= now() ${early ? `or l.state = 'backing_off'` : ''}) and exists (select 1 from gate)
    order by l.rank, l.first_pending limit $6 for update skip locked
  )
  update lanes l set
    state = 'calling', next_at = now() + $7 * interval '1 millisecond', lease_token = $8::uuid, epoch = g.epoch,
    call_count = case when ${REPEATED} then l.call_count else l.call_count + 1 end,
    newer_since = case when ${REPEATED} then l.newer_since end,
    call = case when ${REPEATED} then l.call else jsonb_build_object(
      'v', 1, 'n', l.call_count + 1, 'by', $8, 'state', l.target_state, 'person', l.target_body,
      'as', $9::jsonb ->> l.target_state, 'first', l.first_pending, 'through', l.last_pending, 'round', l.round,
      'epoch', g.epoch, 'platform_id', ${known('platform_id')}, 'confirmed', ${known('confirmed_state')},
      'known', ${known('confirmed_digest')}, 'lookup', ${known('lookup')}) end,
    platform_id = ${known('platform_id')}, confirmed_state = ${known('confirmed_state')},
    confirmed_digest = ${known('confirmed_digest')}, lookup = ${known('lookup')},
    account = case when l.epoch = g.epoch then l.account else 'none' end
  from due, gate g
  where l.tenant_id = $1 and l.channel = $2 and l.destination = $3 and l.subject = due.subject
  returning ${LANE_COLUMNS}, now() as claimed_on`;
const REPEATED = `(l.call is not null and l.epoch = g.epoch)`;
// What is known of another address does not count at this one.
function known(column: string): string {
  return `case when l.epoch = g.epoch then l.${column} end`;
}
const CLAIM = claimSql(false);
const CLAIM_EARLY = claimSql(true);

/**
 * Leases due lanes of one destination and freezes their calls: leavers first, then by age.
 *
 * @returns no lanes if the destination is not as the worker knows it
 */
export async function claim(db: SqlRunner, destination: Destination, options: ClaimOptions): Promise<LeasedLane[]> {
  const token = randomUUID();
  const claimedAt = performance.now();
  const { tenantId, channel, id, version } = destination;
  const { rows } = await db.query<LaneRow & { claimed_on: Date }>(options.early ? CLAIM_EARLY : CLAIM, [
    tenantId,
    channel,
    id,
    version,
    options.mode === 'probe' ? 'open' : 'ok',
    options.limit,
    options.leaseMs,
    token,
    JSON.stringify(options.policy),
  ]);
  const lanes = rows.map((row): LeasedLane => {
    const call = row.call!;
    const { subject, claimed_on: claimedOn } = row;
    return { subject, token, call, lane: laneOf(row), fresh: call.by === token, claimedOn, claimedAt };
  });
  // The order of an update's answer is the database's own.
  return lanes.sort((a, b) => rankOf(a) - rankOf(b) || a.call.first - b.call.first);
}

function rankOf({ call }: LeasedLane): number {
  return call.state === 'active' ? 1 : 0;
}
