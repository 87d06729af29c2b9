import type { SqlRunner } from '../../../base/database/database.js';
import type { DestinationKey } from '../destination.js';
import type { Lane } from '../lane-state.js';
import { arraysOf, arrayParameters, type ArrayColumns } from '../attempts/arrays.js';

/** A lane before and after a transition. */
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

/** Writes lanes that the transaction holds. */
export async function write(
  tx: SqlRunner,
  { tenantId, channel, id }: DestinationKey,
  changes: readonly LaneChange[],
): Promise<void> {
  if (changes.length > 0) await tx.query(WRITE, [tenantId, channel, id, ...arrayParameters(COLUMNS, changes)]);
}
