import type { SqlRunner, Database } from '../../../base/database/database.js';
import { arraysOf, arrayParameters, type ArrayColumns } from '../attempts.js';
import type { DestinationKey } from '../destination.js';
import type { Lane, LaneEvent } from '../lane-state.js';
import { transition, LANE_COLUMNS, laneOf, type LaneRow } from './lane.js';

export interface LaneChange {
  subject: string;
  before: Lane;
  after: Lane;
}

const COLUMNS: ArrayColumns<LaneChange> = [
  ['subject', 'text', (c) => c.subject],
  ['state', 'text', (c) => c.after.state],
  ['rank', 'smallint', (c) => c.after.rank],
  ['first_pending', 'bigint', (c) => c.after.firstPending],
  ['pending_since', 'timestamptz', (c) => c.after.pendingSince],
  ['newer_since', 'timestamptz', (c) => c.after.newerSince],
  ['round', 'int', (c) => c.after.round],
  ['epoch', 'int', (c) => c.after.epoch],
  ['keeps_call', 'boolean', (c) => c.after.call !== null],
  ['lookup', 'jsonb', (c) => (c.after.lookup === null ? null : JSON.stringify(c.after.lookup))],
  ['platform_id', 'text', (c) => c.after.accountId],
  ['account', 'text', (c) => c.after.account],
  ['confirmed_state', 'text', (c) => c.after.confirmedState],
  ['confirmed_digest', 'text', (c) => c.after.confirmedDigest],
  ['confirmed_through', 'bigint', (c) => c.after.confirmedThrough],
  ['confirmed_at', 'timestamptz', (c) => c.after.confirmedAt],
  ['failure_count', 'int', (c) => c.after.failureCount],
  ['own_failure_count', 'int', (c) => c.after.ownFailureCount],
  ['failed_at', 'timestamptz', (c) => c.after.failedAt],
  ['next_at', 'timestamptz', (c) => c.after.nextAt ?? '-infinity'],
  ['parked_reason', 'text', (c) => c.after.parkedReason],
  ['parked_detail', 'text', (c) => c.after.parkedDetail],
];

// A call is kept or dropped, and never changed; a lease is kept or ended.
const WRITE = `
  update lanes l set
    state = w.state, rank = w.rank, first_pending = w.first_pending, pending_since = w.pending_since,
    newer_since = w.newer_since, round = w.round, epoch = w.epoch,
    call = case when w.keeps_call then l.call end,
    lease_token = case when w.state = 'calling' then l.lease_token end,
    lookup = w.lookup, platform_id = w.platform_id, account = w.account, confirmed_state = w.confirmed_state,
    confirmed_digest = w.confirmed_digest, confirmed_through = w.confirmed_through, confirmed_at = w.confirmed_at,
    failure_count = w.failure_count, own_failure_count = w.own_failure_count, failed_at = w.failed_at,
    next_at = w.next_at, parked_reason = w.parked_reason, parked_detail = w.parked_detail
  from ${arraysOf(COLUMNS, 4)} as w(${COLUMNS.map(([name]) => name).join(', ')})
  where l.tenant_id = $1 and l.channel = $2 and l.destination = $3 and l.subject = w.subject`;

export async function write(
  tx: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  changes: readonly LaneChange[],
): Promise<void> {
  if (changes.length > 0) await tx.query(WRITE, [tenantId, channel, id, ...arrayParameters(COLUMNS, changes)]);
}

/** A lane that the transaction holds, with the time of the database and the present state of its destination. */
interface LockedLane {
  subject: string;
  lane: Lane;
  now: Date;
  /** 0 without a destination. */
  epoch: number;
  lastSuccessAt: Date | null;
}

/**
 * Locks lanes of one destination, in the order of their subjects.
 *
 * @param condition SQL about a lane `l` and its destination `d`, whose parameters begin with $4
 */
export async function lock(
  tx: SqlRunner,
  key: DestinationKey,
  condition: string,
  values: unknown[],
): Promise<LockedLane[]> {
  const { rows } = await tx.query<LaneRow & { now: Date; d_epoch: number | null; last_success_at: Date | null }>(
    `select ${LANE_COLUMNS}, clock_timestamp() as now, d.epoch as d_epoch, d.last_success_at
     from lanes l left join destinations d on d.tenant_id = $1 and d.channel = $2 and d.id = $3
     where l.tenant_id = $1 and l.channel = $2 and l.destination = $3 and ${condition}
     order by l.subject for update of l`,
    [key.tenantId, key.channel, key.id, ...values],
  );
  return rows.map((row) => {
    const { subject, now, d_epoch: epoch, last_success_at: lastSuccessAt } = row;
    return { subject, lane: laneOf(row), now, epoch: epoch ?? 0, lastSuccessAt };
  });
}

/** Moves locked lanes by one event each, and writes them. Returns the lanes that changed. */
export async function apply(
  tx: SqlRunner,
  key: DestinationKey,
  locked: readonly LockedLane[],
  eventOf: (lane: LockedLane) => LaneEvent,
): Promise<LaneChange[]> {
  const changes = locked
    .map((it) => ({ subject: it.subject, before: it.lane, after: transition(it.lane, eventOf(it), it.now) }))
    .filter(({ before, after }) => before !== after);
  await write(tx, key, changes);
  return changes;
}

/** Removes the lanes of delivered messages: no newer change will come for their subjects. */
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
