import { createsAccount, digestOf, type Call } from '../call.js';
import type { Lane, LaneEvent, Settlement } from '../lane-state.js';

type Settled = LaneEvent & { kind: 'settled' };

/**
 * Returns the lane after its call was settled. Only the holder of the lease may settle, and only at the address for
 * which the call was frozen.
 *
 * Something newer takes the place of a call instead of being parked with it. A failure counts as the lane's own only if
 * another lane succeeded since the last one.
 */
export function settled(lane: Lane, event: Settled, now: Date): Lane {
  const { call, settlement: s } = event;
  if (lane.leaseToken !== event.token || lane.epoch !== call.epoch || call.epoch !== event.epoch) return lane;
  const newer = isNewer(lane, call);
  const ownFailureCount = lane.ownFailureCount + Number(isOwnFault(lane, event));
  const poisoned = s.ownFault && ownFailureCount >= event.ownFailureLimit;
  const keep = s.keep && !(poisoned && newer);
  const parked = newer ? null : (s.parked ?? (poisoned ? 'poison' : null));
  const next: Lane = {
    ...lane,
    ...pendingAfter(lane, call, s, newer, now),
    ...knownAfter(lane, event, { outdone: poisoned && newer }),
    call: keep ? lane.call : null,
    leaseToken: null,
    ownFailureCount: ownFailuresAfter(s, newer, s.failed ? ownFailureCount : lane.ownFailureCount),
    failureCount: s.failureCount,
    failedAt: s.failed ? now : s.done ? null : lane.failedAt,
    nextAt: parked === null && s.waitMs !== null ? new Date(now.getTime() + s.waitMs) : null,
    parkedReason: parked,
    parkedDetail: parked === null ? null : (s.parkedDetail ?? null),
  };
  if (next.call === null && !s.done) next.newerSince = null;
  next.state = stateOf(next);
  return next.state === 'parked' ? { ...next, ...afterGivingUp(next) } : next;
}

/** Whether the target moved on while the call was out, or the subject is to be sent again. */
function isNewer(lane: Lane, call: Call): boolean {
  return lane.lastPending > call.through || lane.round > call.round;
}

function isOwnFault({ failedAt }: Lane, { settlement, lastSuccessAt }: Settled): boolean {
  return settlement.ownFault && (failedAt === null || (lastSuccessAt !== null && lastSuccessAt >= failedAt));
}

/** A lane that waits for another one does not add up failures meanwhile: it was answered. */
function ownFailuresAfter({ done, keep, failed, waitMs }: Settlement, newer: boolean, count: number): number {
  const waits = !failed && waitMs !== null;
  return done || (newer && !keep) || waits ? 0 : count;
}

function stateOf({ firstPending, parkedReason, nextAt }: Lane): Lane['state'] {
  if (firstPending === null) return 'idle';
  if (parkedReason !== null) return 'parked';
  return nextAt === null ? 'due' : 'backing_off';
}

function pendingAfter(lane: Lane, call: Call, { done }: Settlement, newer: boolean, now: Date): Partial<Lane> {
  if (!done) return {};
  return {
    confirmedThrough: Math.max(lane.confirmedThrough, call.through),
    confirmedAt: now,
    firstPending: newer ? Math.min(call.through + 1, lane.lastPending) : null,
    pendingSince: newer ? lane.newerSince : null,
    newerSince: null,
  };
}

/**
 * Returns what is known of the destination after the call. A call of an earlier round confirms nothing. A repeated call
 * that is refused may have taken effect the first time, and so may a dropped one: the state of a known account counts
 * as unknown then, and an account that may have been created is looked for.
 */
function knownAfter(
  lane: Lane,
  { call, token, settlement: s }: Settled,
  { outdone }: { outdone: boolean },
): Partial<Lane> {
  const lookup = outdone && createsAccount(call) ? LOST : s.lookup;
  const accountId = s.bind === undefined ? lane.accountId : s.bind;
  const unheard = outdone || (!s.keep && !s.done && call.by !== token);
  if (lane.round > call.round) return { lookup, accountId, confirmedState: null, confirmedDigest: null };
  if (s.confirm) return { lookup, accountId, confirmedState: call.state, confirmedDigest: digestOf(call.person) };
  if (s.bind === null) return { lookup, accountId, confirmedState: null, confirmedDigest: null };
  return { lookup, accountId, confirmedState: unheard ? stateWithoutAnswer(lane) : lane.confirmedState };
}

/**
 * Returns what stays known if the open call of a lane is never answered. It is stored when the lane is parked, so that
 * whatever takes the place of the call (a newer change, a dismissal) only has to drop it.
 */
function afterGivingUp(lane: Lane): Partial<Lane> {
  if (lane.call === null) return {};
  const lookup = createsAccount(lane.call) ? LOST : lane.lookup;
  return { lookup, confirmedState: stateWithoutAnswer(lane) };
}

/** Of an account whose id was never learned it stays known that it is there. */
function stateWithoutAnswer({ accountId, confirmedState }: Lane): Lane['confirmedState'] {
  return accountId === null ? confirmedState : null;
}

const LOST = { why: 'lost' } as const;
