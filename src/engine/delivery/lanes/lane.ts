import {
  ASIDE,
  type Lane,
  type Settlement,
  type AccountFact,
  type LaneEvent,
  type LeasedLane,
  type LaneState,
} from '../lane-state.js';
import { createsAccount, digestOf, type Call, asksFirst, type Lookup, type TargetState } from '../outcome.js';

/**
 * Returns the lane after an event. Every write of a lane is a result of this function, or a statement that a test compares with
 * it (`enqueue`, `claim`). An event that a state refuses returns the lane itself.
 */
export function transition(lane: Lane, event: LaneEvent, now: Date): Lane {
  const next = changed(lane, event, now);
  // The copy is new, and not shared: another one would double the cost.
  if (next !== lane) next.account = accountOf(next);
  return next;
}

export function accountOf({
  accountId,
  lookup,
  confirmedState,
}: Pick<Lane, 'accountId' | 'lookup' | 'confirmedState'>): AccountFact {
  if (accountId !== null) return 'bound';
  if (!asksFirst(lookup)) return confirmedState === 'active' ? 'unnamed' : 'none';
  return confirmedState === 'active' || lookup?.why === 'lost' || lookup?.why === 'no_id' ? 'lost' : 'sought';
}

/**
 * Returns a leased lane that is unchanged since its call was frozen. Fields that the call does not have keep their first value:
 * no outcome that leaves the lane at rest depends on them.
 */
export function claimedLane({ call, token, failureCount }: LeasedLane): Lane {
  const lane: Lane = {
    state: 'calling',
    target: call.state,
    rank: 1,
    firstPending: call.first,
    lastPending: call.through,
    pendingSince: null,
    newerSince: null,
    round: call.round,
    epoch: call.epoch,
    callCount: call.n,
    call,
    leaseToken: token,
    lookup: call.lookup,
    accountId: call.platform_id,
    account: 'none',
    confirmedState: call.confirmed,
    confirmedDigest: call.known,
    confirmedThrough: call.through,
    confirmedAt: null,
    failureCount,
    ownFailureCount: 0,
    failedAt: null,
    nextAt: null,
    parkedReason: null,
    parkedDetail: null,
  };
  lane.account = accountOf(lane);
  return lane;
}

export function isAtRest(lane: Lane): boolean {
  const { state, lookup, failureCount, ownFailureCount, failedAt } = lane;
  return state === 'idle' && lookup === null && failureCount === 0 && ownFailureCount === 0 && failedAt === null;
}

function changed(lane: Lane, event: LaneEvent, now: Date): Lane {
  switch (event.kind) {
    case 'enqueued':
      return enqueued(lane, event);
    case 'claimed':
      return claimed(lane, event, now);
    case 'settled':
      return settled(lane, event, now);
    case 'handed_back':
      return handedBack(lane, event.token);
    case 'unparked':
      if (lane.state === 'idle') return lane;
      return { ...atOnce(lane), failureCount: 0, failedAt: null };
    case 'resent':
      return resent(lane, now);
    case 'rebound':
      return rebound(lane, event.epoch, now);
    case 'imported':
      return imported(lane, event);
    case 'dismissed':
      if (lane.state !== 'parked') return lane;
      return { ...atOnce(lane), ...NOTHING_PENDING, call: null, failureCount: 0, failedAt: null };
    case 'destination_returned':
      return lane.state === 'backing_off'
        ? { ...lane, state: 'due', rank: backInLine(lane.rank), nextAt: null, failureCount: 0 }
        : lane;
    case 'account_released':
      return lane.state === 'idle' && lane.target !== 'active' ? { ...lane, accountId: null } : lane;
    case 'names_needed':
      return lane.state === 'idle' && lane.target !== 'active' && lane.accountId !== null
        ? { ...again(atOnce(lane), now), lookup: { why: 'aside', standIn: event.standIn } }
        : lane;
  }
}

const NOTHING_PENDING = { state: 'idle', firstPending: null, pendingSince: null, newerSince: null } as const;

/** A lane that is not held is sent at once; a lease stays. */
function atOnce(lane: Lane): Lane {
  const held = lane.state === 'calling';
  return {
    ...lane,
    state: held ? 'calling' : 'due',
    rank: backInLine(lane.rank),
    nextAt: held ? lane.nextAt : null,
    ownFailureCount: 0,
    parkedReason: null,
    parkedDetail: null,
  };
}

/** A newer change replaces a waiting one. A parked call is dropped: the destination refused it or never answered it. */
function enqueued(lane: Lane, { sequence, target, rank, at }: LaneEvent & { kind: 'enqueued' }): Lane {
  if (sequence <= lane.lastPending) return lane;
  const call = lane.state === 'parked' ? null : lane.call;
  return {
    ...atOnce(lane),
    target,
    rank,
    firstPending: lane.firstPending ?? sequence,
    lastPending: sequence,
    pendingSince: lane.pendingSince ?? at,
    newerSince: call === null ? null : (lane.newerSince ?? at),
    call,
  };
}

function claimed(lane: Lane, event: LaneEvent & { kind: 'claimed' }, now: Date): Lane {
  if (lane.state === 'idle' || lane.state === 'parked') return lane;
  const waits = lane.nextAt !== null && lane.nextAt > now;
  if (waits && (lane.state === 'calling' || !event.early)) return lane;
  // Knowledge about another address does not count at this one.
  const known = lane.epoch === event.epoch ? lane : { ...lane, ...NOTHING_KNOWN, epoch: event.epoch };
  const held = { ...known, state: 'calling', leaseToken: event.token, nextAt: event.until } as const;
  if (held.call !== null) return held;
  const call: Call = {
    v: 1,
    n: lane.callCount + 1,
    by: event.token,
    state: lane.target,
    person: event.body,
    as: event.policy[lane.target],
    first: lane.firstPending!,
    through: lane.lastPending,
    round: lane.round,
    epoch: event.epoch,
    platform_id: known.accountId,
    confirmed: known.confirmedState,
    known: known.confirmedDigest,
    lookup: known.lookup,
  };
  return { ...held, call, callCount: call.n, newerSince: null };
}

const NOTHING_KNOWN = {
  call: null,
  lookup: null,
  accountId: null,
  confirmedState: null,
  confirmedDigest: null,
  newerSince: null,
} as const;

/** A call that this lease froze was never sent, so it is dropped. An older call is repeated. */
function handedBack(lane: Lane, token: string): Lane {
  if (lane.leaseToken !== token) return lane;
  const call = lane.call?.by === token ? null : lane.call;
  const newerSince = call === null ? null : lane.newerSince;
  return { ...lane, state: 'due', leaseToken: null, nextAt: null, call, newerSince };
}

/** The body counts as unknown at the destination. An open call is repeated first; it does not count for the new round. */
function resent(lane: Lane, now: Date): Lane {
  return {
    ...again(atOnce(lane), now),
    newerSince: lane.call === null ? null : (lane.newerSince ?? now),
    confirmedDigest: null,
    confirmedState: lane.accountId === null ? lane.confirmedState : null,
  };
}

/** Drops the knowledge about the old address. Active subjects are sent to the new one, and so are pending changes. */
function rebound(lane: Lane, epoch: number, now: Date): Lane {
  if (lane.epoch >= epoch) return lane;
  const fresh = { ...lane, ...NOTHING_KNOWN, epoch, leaseToken: null, failureCount: 0, failedAt: null };
  const due = again({ ...atOnce(fresh), state: 'due', nextAt: null }, now);
  return lane.firstPending === null && lane.target !== 'active' ? { ...due, ...NOTHING_PENDING } : due;
}

/** A lane without pending changes goes after everything that is new. */
function again(lane: Lane, now: Date): Lane {
  return {
    ...lane,
    round: lane.round + 1,
    rank: lane.firstPending === null ? 2 : lane.rank,
    firstPending: lane.firstPending ?? lane.lastPending,
    pendingSince: lane.pendingSince ?? now,
  };
}

/** A lane with an open call finds its account on its own. */
function imported(lane: Lane, { epoch, accountId, state, digest }: LaneEvent & { kind: 'imported' }): Lane {
  if (lane.call !== null || (lane.accountId !== null && lane.epoch >= epoch)) return lane;
  const lookup = lane.epoch < epoch ? null : lane.lookup;
  return { ...lane, epoch, accountId, lookup, confirmedState: state, confirmedDigest: digest };
}

/**
 * Returns the lane after its call was settled. Only the holder of the lease may settle, and only at the address for which the
 * call was frozen. A newer change replaces a call instead of being parked with it. A failure counts as the lane's own only if
 * another lane succeeded since the last one.
 */
export function settled(lane: Lane, s: Settlement, now: Date): Lane {
  const { call } = s;
  if (lane.leaseToken !== s.token || lane.epoch !== call.epoch || call.epoch !== s.epoch) return lane;
  const through = s.through ?? call.through;
  const newer = isNewer(lane, call, through);
  const ownFailureCount = lane.ownFailureCount + Number(isOwnFault(lane, s));
  const poisoned = s.ownFault && ownFailureCount >= s.ownFailureLimit;
  const keep = s.keep && !(poisoned && newer);
  const parked = newer ? null : (s.parked ?? (poisoned ? 'poison' : null));
  // One copy, which is changed in place: spreads of an object of this size cost more than all the rest.
  const next = { ...lane };
  settlePending(next, s, newer, now);
  settleKnowledge(next, lane, s, poisoned && newer);
  next.call = keep ? lane.call : null;
  if (!keep) next.newerSince = null;
  next.leaseToken = null;
  next.ownFailureCount = ownFailuresAfter(s, newer, s.failed ? ownFailureCount : lane.ownFailureCount);
  next.failureCount = s.failureCount;
  next.failedAt = s.failed ? now : s.done ? null : lane.failedAt;
  next.nextAt = parked === null && s.waitMs !== null ? new Date(now.getTime() + s.waitMs) : null;
  next.parkedReason = parked;
  next.parkedDetail = parked === null ? null : (s.parkedDetail ?? null);
  next.state = stateOf(next);
  next.rank = s.aside === true && next.state === 'backing_off' ? ASIDE : backInLine(lane.rank);
  if (next.state === 'parked') giveUp(next);
  return next;
}

function backInLine(rank: number): number {
  return rank === ASIDE ? 1 : rank;
}

/** Whether the target moved on while the call was out, or the subject is to be sent again. */
function isNewer(lane: Lane, call: Call, through: number): boolean {
  return lane.lastPending > through || lane.round > call.round;
}

function isOwnFault({ failedAt }: Lane, { ownFault, lastSuccessAt }: Settlement): boolean {
  return ownFault && (failedAt === null || (lastSuccessAt !== null && lastSuccessAt >= failedAt));
}

/** A lane that waits for another one was answered: its failures do not add up during that wait. */
function ownFailuresAfter({ done, keep, failed, waitMs }: Settlement, newer: boolean, count: number): number {
  const waits = !failed && waitMs !== null;
  return done || (newer && !keep) || waits ? 0 : count;
}

function stateOf({ firstPending, parkedReason, nextAt }: Lane): Lane['state'] {
  if (firstPending === null) return 'idle';
  if (parkedReason !== null) return 'parked';
  return nextAt === null ? 'due' : 'backing_off';
}

function settlePending(next: Lane, { call, done, through: until }: Settlement, newer: boolean, now: Date): void {
  if (!done) return;
  const through = until ?? call.through;
  next.confirmedThrough = Math.max(next.confirmedThrough, through);
  next.confirmedAt = now;
  next.firstPending = newer ? Math.min(through + 1, next.lastPending) : null;
  // A change that a call did not carry is no newer than the call.
  next.pendingSince = newer ? (next.newerSince ?? next.pendingSince) : null;
}

/**
 * Notes the knowledge about the destination after the call. A call of an earlier round confirms nothing. A repeated call that is
 * refused may have taken effect the first time, and so may one that is dropped (`outdone`). Then the state of a known account
 * counts as unknown, and an account that may have been created is looked for.
 */
function settleKnowledge(next: Lane, before: Lane, s: Settlement, outdone: boolean): void {
  const { call, token } = s;
  next.lookup = outdone && createsAccount(call) ? LOST : s.lookup;
  if (s.bind !== undefined) next.accountId = s.bind;
  const unheard = outdone || (!s.keep && !s.done && call.by !== token);
  if (before.round > call.round) confirm(next, null, null);
  else if (s.confirm) confirm(next, call.state, digestOf(call.person));
  else if (s.bind === null) confirm(next, null, null);
  else if (s.outdated === true) next.confirmedDigest = null;
  else if (unheard) next.confirmedState = stateWithoutAnswer(before);
}

function confirm(next: Lane, state: Lane['confirmedState'], digest: string | null): void {
  next.confirmedState = state;
  next.confirmedDigest = digest;
}

/**
 * Stores what stays known if the open call of a parked lane is never answered. So a step that replaces the call later (a newer
 * change, a dismissal) only has to drop it.
 */
function giveUp(next: Lane): void {
  if (next.call === null) return;
  if (createsAccount(next.call)) next.lookup = LOST;
  next.confirmedState = stateWithoutAnswer(next);
}

/** An account whose id was never learned is still known to exist. */
function stateWithoutAnswer({ accountId, confirmedState }: Lane): Lane['confirmedState'] {
  return accountId === null ? confirmedState : null;
}

const LOST = { why: 'lost' } as const;

/** A row of {@link LANE_COLUMNS}. */
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

export const LANE_COLUMNS = `l.subject, l.state, l.target_state, l.rank, l.first_pending, l.last_pending, l.pending_since,
  l.newer_since, l.round, l.epoch, l.call_count, l.call, l.lease_token, l.lookup, l.platform_id, l.account,
  l.confirmed_state, l.confirmed_digest, l.confirmed_through, l.confirmed_at, l.failure_count, l.own_failure_count,
  l.failed_at, l.next_at, l.parked_reason, l.parked_detail`;

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
