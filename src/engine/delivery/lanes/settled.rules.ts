import { createsAccount, digestOf, type Call } from '../call.js';
import { ASIDE, type Lane, type Settlement } from '../lane-state.js';

/**
 * Returns the lane after its call was settled. Only the holder of the lease may settle, and only at the address for
 * which the call was frozen.
 *
 * Something newer takes the place of a call instead of being parked with it. A failure counts as the lane's own only if
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

/** The rank of a lane that stands aside no more. */
export function backInLine(rank: number): number {
  return rank === ASIDE ? 1 : rank;
}

/** Whether the target moved on while the call was out, or the subject is to be sent again. */
function isNewer(lane: Lane, call: Call, through: number): boolean {
  return lane.lastPending > through || lane.round > call.round;
}

function isOwnFault({ failedAt }: Lane, { ownFault, lastSuccessAt }: Settlement): boolean {
  return ownFault && (failedAt === null || (lastSuccessAt !== null && lastSuccessAt >= failedAt));
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

function settlePending(next: Lane, { call, done, through: until }: Settlement, newer: boolean, now: Date): void {
  if (!done) return;
  const through = until ?? call.through;
  next.confirmedThrough = Math.max(next.confirmedThrough, through);
  next.confirmedAt = now;
  next.firstPending = newer ? Math.min(through + 1, next.lastPending) : null;
  // What a call left behind is no newer than the call.
  next.pendingSince = newer ? (next.newerSince ?? next.pendingSince) : null;
}

/**
 * Notes what is known of the destination after the call. A call of an earlier round confirms nothing. A repeated call
 * that is refused may have taken effect the first time, and so may one that is dropped (`outdone`): the state of a known
 * account counts as unknown then, and an account that may have been created is looked for.
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
 * Stores what stays known if the open call of a parked lane is never answered. So a step that takes the place of the call
 * later (a newer change, a dismissal) only has to drop it.
 */
function giveUp(next: Lane): void {
  if (next.call === null) return;
  if (createsAccount(next.call)) next.lookup = LOST;
  next.confirmedState = stateWithoutAnswer(next);
}

/** Of an account whose id was never learned it stays known that it is there. */
function stateWithoutAnswer({ accountId, confirmedState }: Lane): Lane['confirmedState'] {
  return accountId === null ? confirmedState : null;
}

const LOST = { why: 'lost' } as const;
