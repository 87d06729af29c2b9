import { asksFirst, type Call } from '../call.js';
import type { AccountFact, Lane, LaneEvent, LeasedLane } from '../lane-state.js';
import { backInLine, settled } from './settled.rules.js';

/**
 * Returns the lane after an event. Every write of a lane is a result of this function, or a statement that a test
 * compares with it (`enqueue`, `claim`). An event that a state refuses returns the lane itself.
 */
export function transition(lane: Lane, event: LaneEvent, now: Date): Lane {
  const next = changed(lane, event, now);
  // The copy is new, and not shared: another one would double the cost.
  if (next !== lane) next.account = accountOf(next);
  return next;
}

/** Returns what is known of the account of a lane. */
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
 * Returns a leased lane to which nothing has happened since its call was frozen. What the call does not say is left at
 * its beginning: no outcome that leaves the lane at rest depends on it.
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

/** Returns whether nothing of a lane is pending, asked or counted: it only has what is confirmed. */
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

/** A lane that is not held is sent at once; a lease is left as it is. */
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
  // What is known of another address does not count at this one.
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

/** What was known at the old address is forgotten. Active subjects are sent to the new one; so is what was pending. */
function rebound(lane: Lane, epoch: number, now: Date): Lane {
  if (lane.epoch >= epoch) return lane;
  const fresh = { ...lane, ...NOTHING_KNOWN, epoch, leaseToken: null, failureCount: 0, failedAt: null };
  const due = again({ ...atOnce(fresh), state: 'due', nextAt: null }, now);
  return lane.firstPending === null && lane.target !== 'active' ? { ...due, ...NOTHING_PENDING } : due;
}

/** What had nothing pending goes behind everything that is new. */
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
