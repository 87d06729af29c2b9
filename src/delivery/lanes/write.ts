import type { SqlRunner } from '../../base/database/database.js';
import type { DestinationKey } from '../destinations/destination.js';
import type { Lane } from '../lane-state.js';

/** A lane before and after a transition. */
export interface LaneChange {
  subject: string;
  before: Lane;
  after: Lane;
}

/** The arrays of {@link laneValues}, as rows `w`. `first` is the number of the first parameter. */
export const laneArrays = (first: number): string =>
  `unnest(${TYPES.map((type, i) => `$${first + i}::${type}[]`).join(', ')}) as w(${NAMES.join(', ')})`;

/** The assignments of a lane `l` from a row `w`. A call is kept or dropped, and never changed. */
export const LANE_ASSIGNMENTS = `
    state = w.state, rank = w.rank, first_pending = w.first_pending, pending_since = w.pending_since,
    newer_since = w.newer_since, round = w.round, epoch = w.epoch,
    call = case when w.keeps_call then l.call end,
    lease_token = case when w.state = 'calling' then l.lease_token end,
    lookup = w.lookup, platform_id = w.platform_id, account = w.account, confirmed_state = w.confirmed_state,
    confirmed_digest = w.confirmed_digest, confirmed_through = w.confirmed_through, confirmed_at = w.confirmed_at,
    failure_count = w.failure_count, own_failure_count = w.own_failure_count, failed_at = w.failed_at,
    next_at = w.next_at, parked_reason = w.parked_reason, parked_detail = w.parked_detail`;

/**
 * The condition under which a lane `l` still is as it was before the transition. All that may happen to a leased lane
 * moves one of these: a change the last sequence, a request to send again the round, another address the epoch, and
 * another claim the token.
 */
export const LANE_UNCHANGED = `l.tenant_id = $1 and l.channel = $2 and l.destination = $3 and l.subject = w.subject
    and l.lease_token is not distinct from w.token and l.last_pending = w.last_pending and l.round = w.round_before
    and l.epoch = w.epoch_before`;

type Columns = [name: string, type: string, value: (change: LaneChange) => unknown][];

const COLUMNS: Columns = [
  ['subject', 'text', (c) => c.subject],
  ['token', 'uuid', (c) => c.before.leaseToken],
  ['last_pending', 'bigint', (c) => c.before.lastPending],
  ['round_before', 'int', (c) => c.before.round],
  ['epoch_before', 'int', (c) => c.before.epoch],
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
const NAMES = COLUMNS.map(([name]) => name);
const TYPES = COLUMNS.map(([, type]) => type);

/** Returns the parameters of {@link laneArrays}: one array for each column. */
export function laneValues(changes: readonly LaneChange[]): unknown[] {
  return COLUMNS.map(([, , value]) => changes.map(value));
}

const WRITE = `update lanes l set ${LANE_ASSIGNMENTS} from ${laneArrays(4)} where ${LANE_UNCHANGED}`;

/** Writes lanes that the transaction holds. A lane that did not change is left out. */
export async function write(tx: SqlRunner, key: DestinationKey, changes: readonly LaneChange[]): Promise<void> {
  const changed = changes.filter(({ before, after }) => before !== after);
  if (changed.length === 0) return;
  await tx.query(WRITE, [key.tenantId, key.channel, key.id, ...laneValues(changed)]);
}
