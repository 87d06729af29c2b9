import type { Lane, LaneEvent } from '../../src/engine/delivery/lane-state.js';
import { accountOf } from '../../src/engine/delivery/lanes/lane.js';
import { settlementOf } from '../../src/engine/delivery/lanes/settlement.rules.js';
import { digestOf, type Call, type Outcome } from '../../src/engine/delivery/outcome.js';
import { steadyPause } from '../../src/engine/delivery/retry.rules.js';

/** The moment of all transitions in tests, and moments around it. */
export const NOW = new Date('2026-05-01T10:00:00.000Z');
export const EARLIER = new Date('2026-05-01T09:00:00.000Z');
export const LATER = new Date('2026-05-01T11:00:00.000Z');
export const TOKEN = '11111111-1111-4111-8111-111111111111';
export const OLDER_TOKEN = '22222222-2222-4222-8222-222222222222';
export const BODY = '{"email":"a@example.com"}';

/** A frozen call; `by` tells whether the present lease froze it. */
export function callWith(more: Partial<Call> = {}): Call {
  return {
    v: 1,
    n: 3,
    by: TOKEN,
    state: 'active',
    person: BODY,
    as: 'inactive',
    first: 7,
    through: 7,
    round: 0,
    epoch: 1,
    platform_id: null,
    confirmed: null,
    known: null,
    lookup: null,
    ...more,
  };
}

/** A lane to which nothing has happened yet, with what is given. */
export function laneWith(more: Partial<Lane> = {}): Lane {
  const lane: Lane = {
    state: 'idle',
    target: 'active',
    rank: 1,
    firstPending: null,
    lastPending: 7,
    pendingSince: null,
    newerSince: null,
    round: 0,
    epoch: 1,
    callCount: 3,
    call: null,
    leaseToken: null,
    lookup: null,
    accountId: null,
    account: 'none',
    confirmedState: null,
    confirmedDigest: null,
    confirmedThrough: 0,
    confirmedAt: null,
    failureCount: 0,
    ownFailureCount: 0,
    failedAt: null,
    nextAt: null,
    parkedReason: null,
    parkedDetail: null,
    ...more,
  };
  return { ...lane, account: accountOf(lane) };
}

const PENDING = { firstPending: 7, pendingSince: EARLIER } as const;
const BOUND = { accountId: 'hp_1', confirmedState: 'active', confirmedDigest: digestOf(BODY) } as const;
const FAILED = { failureCount: 2, ownFailureCount: 1, failedAt: EARLIER } as const;
const LEASED = { state: 'calling', leaseToken: TOKEN, nextAt: LATER } as const;
const PARKED = { state: 'parked', parkedReason: 'poison', parkedDetail: 'timeout' } as const;
const OPEN = { call: callWith({ by: OLDER_TOKEN }) } as const;

/** Lanes in every state, with and without an open call. */
export const LANES: Record<string, Lane> = {
  'idle, new': laneWith({ lastPending: 0, callCount: 0 }),
  'idle, delivered': laneWith({ ...BOUND, confirmedThrough: 7, confirmedAt: EARLIER }),
  'idle, a leaver': laneWith({ ...BOUND, target: 'inactive', rank: 0, confirmedState: 'inactive' }),
  due: laneWith({ ...PENDING, state: 'due' }),
  'due, a leaver': laneWith({ ...PENDING, ...BOUND, state: 'due', target: 'deleted', rank: 0 }),
  'due, at an earlier address': laneWith({ ...PENDING, ...BOUND, ...OPEN, state: 'due', epoch: 0 }),
  'due, with an open call': laneWith({ ...PENDING, ...OPEN, state: 'due', lastPending: 9, newerSince: EARLIER }),
  calling: laneWith({ ...PENDING, ...LEASED, call: callWith() }),
  'calling, outdated': laneWith({ ...PENDING, ...LEASED, call: callWith(), lastPending: 9, newerSince: EARLIER }),
  'calling, repeated': laneWith({ ...PENDING, ...FAILED, ...LEASED, ...OPEN }),
  'calling, with an account': laneWith({ ...PENDING, ...BOUND, ...LEASED, call: callWith({ platform_id: 'hp_1' }) }),
  'calling, lease over': laneWith({ ...PENDING, ...LEASED, ...OPEN, leaseToken: OLDER_TOKEN, nextAt: EARLIER }),
  'backing_off, with an open call': laneWith({ ...PENDING, ...FAILED, ...OPEN, state: 'backing_off', nextAt: LATER }),
  'backing_off, asking': laneWith({ ...PENDING, state: 'backing_off', nextAt: LATER, lookup: { why: 'conflict' } }),
  'backing_off, pause over': laneWith({ ...PENDING, ...FAILED, state: 'backing_off', nextAt: EARLIER }),
  'parked, refused': laneWith({ ...PENDING, ...PARKED, ...FAILED, parkedReason: 'refused' }),
  'parked, with an open call': laneWith({ ...PENDING, ...PARKED, ...FAILED, ...OPEN, lookup: { why: 'lost' } }),
};

/** The event of an outcome under the lease {@link TOKEN}. */
export function settledBy(
  lane: Lane,
  outcome: Outcome,
  more: { lastSuccessAt?: Date; limit?: number } = {},
): LaneEvent {
  const call = lane.call ?? callWith();
  const { failureCount } = lane;
  const leased = {
    subject: 'usr_1',
    place: '(0,1)',
    token: TOKEN,
    call,
    failureCount,
    fresh: call.by === TOKEN,
    claimedAt: 0,
    waitedMs: 0,
  };
  const event = settlementOf(leased, outcome, steadyPause({ firstMs: 1_000, maxMs: 60_000 }), 1);
  const { lastSuccessAt = null, limit = 8 } = more;
  return { ...event, epoch: 1, lastSuccessAt, ownFailureLimit: limit };
}

const AWAY: Outcome = { kind: 'unavailable', reason: 'timeout', ownFault: true, retryAfterMs: null };
const POLICY = { active: 'inactive', inactive: 'inactive', deleted: 'delete' } as const;

/** One event of each kind, and the outcomes that differ in what they do to a lane. */
export const EVENTS: Record<string, (lane: Lane) => LaneEvent> = {
  enqueued: () => ({ kind: 'enqueued', sequence: 11, target: 'inactive', rank: 0, at: NOW }),
  'enqueued, older': () => ({ kind: 'enqueued', sequence: 0, target: 'inactive', rank: 0, at: NOW }),
  claimed: () => claimed(false),
  'claimed early': () => claimed(true),
  delivered: (lane) => settledBy(lane, { kind: 'delivered', bind: 'hp_9' }),
  'nothing to send': (lane) => settledBy(lane, { kind: 'nothing' }),
  'next step': (lane) => settledBy(lane, { kind: 'next', lookup: { why: 'conflict' } }),
  waits: (lane) => settledBy(lane, { kind: 'wait', detail: '' }),
  unavailable: (lane) => settledBy(lane, AWAY),
  'unavailable at the limit': (lane) => settledBy(lane, AWAY, { limit: 1 }),
  refused: (lane) => settledBy(lane, { kind: 'refused', status: 422, detail: 'no' }),
  stopped: (lane) => settledBy(lane, { kind: 'stopped', reason: 'credential_refused', detail: '' }),
  'handed back': () => ({ kind: 'handed_back', token: TOKEN }),
  unparked: () => ({ kind: 'unparked' }),
  resent: () => ({ kind: 'resent' }),
  rebound: () => ({ kind: 'rebound', epoch: 2 }),
  imported: () => ({ kind: 'imported', epoch: 1, accountId: 'hp_7', state: 'active', digest: 'd' }),
  dismissed: () => ({ kind: 'dismissed' }),
  'destination returned': () => ({ kind: 'destination_returned' }),
  'account released': () => ({ kind: 'account_released' }),
  'names needed': () => ({ kind: 'names_needed', standIn: { external_id: 'usr_1#stand-in' } }),
};

function claimed(early: boolean): LaneEvent {
  return { kind: 'claimed', token: TOKEN, until: LATER, epoch: 1, policy: POLICY, body: BODY, early };
}

/** A call that created a user, as it is recorded. */
export const createdAttempt = () => ({
  method: 'POST',
  path: '/v1/users',
  status: 201,
  outcome: 'delivered',
  detail: null,
  answer: null,
  ms: 1,
  sentAt: new Date(),
});
