import type { Call, Lookup, TargetState } from '../call.js';
import type { AccountFact, Lane, LaneState } from '../lane-state.js';

/** A row of `lanes` as a statement answers it: {@link LANE_COLUMNS}. */
export interface LaneRow {
  subject: string;
  state: LaneState;
  target_state: TargetState;
  rank: number;
  first_pending: string | null;
  last_pending: string;
  pending_since: Date | null;
  newer_since: Date | null;
  round: number;
  epoch: number;
  call_count: number;
  call: Call | null;
  lease_token: string | null;
  lookup: Lookup | null;
  platform_id: string | null;
  account: AccountFact;
  confirmed_state: TargetState | null;
  confirmed_digest: string | null;
  confirmed_through: string;
  confirmed_at: Date | null;
  failure_count: number;
  own_failure_count: number;
  failed_at: Date | null;
  /** `-infinity` arrives as a number. */
  next_at: Date | number;
  parked_reason: string | null;
  parked_detail: string | null;
}

/** The columns of a lane `l` without its body. */
export const LANE_COLUMNS = `l.subject, l.state, l.target_state, l.rank, l.first_pending, l.last_pending, l.pending_since,
  l.newer_since, l.round, l.epoch, l.call_count, l.call, l.lease_token, l.lookup, l.platform_id, l.account,
  l.confirmed_state, l.confirmed_digest, l.confirmed_through, l.confirmed_at, l.failure_count, l.own_failure_count,
  l.failed_at, l.next_at, l.parked_reason, l.parked_detail`;

/** Returns the lane of a row. */
export function laneOf(row: LaneRow): Lane {
  return {
    state: row.state,
    target: row.target_state,
    rank: row.rank,
    firstPending: row.first_pending === null ? null : Number(row.first_pending),
    lastPending: Number(row.last_pending),
    pendingSince: row.pending_since,
    newerSince: row.newer_since,
    round: row.round,
    epoch: row.epoch,
    callCount: row.call_count,
    call: row.call,
    leaseToken: row.lease_token,
    lookup: row.lookup,
    accountId: row.platform_id,
    account: row.account,
    confirmedState: row.confirmed_state,
    confirmedDigest: row.confirmed_digest,
    confirmedThrough: Number(row.confirmed_through),
    confirmedAt: row.confirmed_at,
    failureCount: row.failure_count,
    ownFailureCount: row.own_failure_count,
    failedAt: row.failed_at,
    nextAt: row.next_at instanceof Date ? row.next_at : null,
    parkedReason: row.parked_reason,
    parkedDetail: row.parked_detail,
  };
}
