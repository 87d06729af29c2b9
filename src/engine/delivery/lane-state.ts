import type { DestinationKey } from './destination.js';
import type { Call, Lookup, StandInNames, TargetState, Attempt, TriedMessage } from './outcome.js';

/**
 * The state of a lane.
 *
 * - `idle`: nothing is pending.
 * - `due`: something is pending and may be sent at once.
 * - `calling`: a worker holds the lane under a lease, and its call is frozen.
 * - `backing_off`: something is pending and waits until `nextAt`.
 * - `parked`: something is pending and waits for an administrator, or for a newer change.
 */
export type LaneState = 'idle' | 'due' | 'calling' | 'backing_off' | 'parked';

/**
 * What is known of the account of the lane's subject at the destination.
 *
 * - `bound`: its id is known.
 * - `none`: there is none; the call for an active user creates it.
 * - `unnamed`: it exists under an unknown id, and is written to without a question.
 * - `lost`: it may exist under an unknown id; the destination is asked first.
 * - `sought`: an account is in the way; the destination is asked first.
 */
export type AccountFact = 'bound' | 'none' | 'unnamed' | 'lost' | 'sought';

/** A lane without its bodies: what it owes, what the destination is known to have, and how far its call is. */
export interface Lane {
  state: LaneState;
  target: TargetState;
  /** The order of claims: leavers 0, live changes 1, what is sent again in the background 2, what stands aside 3. */
  rank: number;
  firstPending: number | null;
  lastPending: number;
  pendingSince: Date | null;
  /** When the first change arrived that the frozen call does not carry. */
  newerSince: Date | null;
  /** Moves with each request to send again, which a call that is already out does not fulfil. */
  round: number;
  /** The address of the destination to which account, confirmed state and call belong. */
  epoch: number;
  callCount: number;
  /** The frozen call whose outcome is open. */
  call: Call | null;
  leaseToken: string | null;
  lookup: Lookup | null;
  accountId: string | null;
  account: AccountFact;
  confirmedState: TargetState | null;
  confirmedDigest: string | null;
  confirmedThrough: number;
  confirmedAt: Date | null;
  /** Failures in a row, which set the pace. */
  failureCount: number;
  /** Failures while other lanes succeeded, which park the lane in the end. */
  ownFailureCount: number;
  failedAt: Date | null;
  /** `calling`: the end of the lease. `backing_off`: the end of the pause. Otherwise null. */
  nextAt: Date | null;
  parkedReason: string | null;
  parkedDetail: string | null;
}

/** The rank of a lane that waits out a pause, in channels whose lanes then stand aside. */
export const ASIDE = 3;

/** What happens to a lane. */
export type LaneEvent =
  /** A change was committed. */
  | { kind: 'enqueued'; sequence: number; target: TargetState; rank: number; at: Date }
  /** A worker takes the lane, which freezes the call. `early`: a pause that is not over does not count. */
  | { kind: 'claimed'; token: string; until: Date; epoch: number; policy: Policy; body: string; early: boolean }
  /** The outcome of the call is known, or known to be open. */
  | Settlement
  | HandBack
  /** An administrator, or the end of a pause, wants it sent at once. */
  | { kind: 'unparked' }
  /** The subject is to be sent again as it is now. */
  | { kind: 'resent' }
  /** The destination has another address. */
  | { kind: 'rebound'; epoch: number }
  /** The destination's list names the account of the subject. */
  | { kind: 'imported'; epoch: number; accountId: string; state: TargetState; digest: string }
  /** An administrator gives up what is parked. */
  | { kind: 'dismissed' }
  /** The destination is back after an outage. */
  | { kind: 'destination_returned' }
  /** Another lane takes over the account of a leaver. */
  | { kind: 'account_released' }
  /** Another lane needs names that the account of a leaver still has. */
  | { kind: 'names_needed'; standIn: StandInNames };

/** What the channel does in each state, by the settings of the destination. */
export type Policy = Readonly<Record<TargetState, string>>;

/** The event of a lane that was claimed and not begun. */
interface HandBack {
  kind: 'handed_back';
  token: string;
}

/**
 * The event of a lane whose call has an outcome: what the outcome means for the lane. The last three fields are of the
 * destination. Until the lane is locked they say that nothing has happened to it.
 */
export interface Settlement {
  kind: 'settled';
  token: string;
  call: Call;
  /** All changes up to `through`, or else up to the call's, are settled. */
  done: boolean;
  through?: number | undefined;
  /** What is settled was given up. */
  givenUp?: { reason: string; message: TriedMessage | null };
  /** The outcome is open: the call stays, to be repeated byte for byte. */
  keep: boolean;
  /** The destination has the body and the state of the call. */
  confirm: boolean;
  /** The destination has another body than the confirmed one. */
  outdated?: boolean;
  /** The id of the account: a new one, null to forget it, undefined to leave it. */
  bind: string | null | undefined;
  lookup: Lookup | null;
  /** Failures in a row, including this one. */
  failureCount: number;
  failed: boolean;
  /** The failure counts towards parking, if other lanes succeeded since the last one. */
  ownFault: boolean;
  waitMs: number | null;
  /** The lane stands aside while it waits. */
  aside?: boolean;
  parked?: string;
  parkedDetail?: string;
  /** The epoch of the destination. */
  epoch: number;
  /** When the destination took something last. */
  lastSuccessAt: Date | null;
  /** The number of own failures that parks a lane. */
  ownFailureLimit: number;
}

/** A lane that a worker holds under a lease. */
export interface LeasedLane {
  subject: string;
  token: string;
  call: Call;
  /** Failures in a row before this call, which set the pace. */
  failureCount: number;
  /** The call was frozen by this claim, so it cannot have been sent yet. */
  fresh: boolean;
  /** When it was claimed, in monotonic milliseconds of this process. */
  claimedAt: number;
  /** For how long its oldest change had waited then, by the clock of the database. */
  waitedMs: number;
}

/** A leased lane, the event that ends its lease, and its requests. */
export interface SettledStep {
  lane: LeasedLane;
  event: Settlement | HandBack;
  attempts: readonly Attempt[];
}

/**
 * Where a room says that it has committed something for a destination. A port of one method, so that what is enqueued on the
 * road of a request does not know the worker that sends it.
 */
export abstract class LaneWakeups {
  /** Makes the worker of the destination look at once: the next poll need not be waited for. */
  abstract wake(key: DestinationKey): void;
}
