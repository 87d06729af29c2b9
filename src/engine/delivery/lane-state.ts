import type { DestinationKey } from './destination.js';
import type { Call, Lookup, StandInNames, TargetState, Attempt, TriedMessage } from './outcome.js';

/**
 * - `idle`: nothing is pending.
 * - `due`: something is pending and may be sent at once.
 * - `calling`: a worker holds the lane under a lease, and its call is frozen.
 * - `backing_off`: something is pending and waits until `nextAt`.
 * - `parked`: something is pending and waits for an administrator, or for a newer change.
 */
export type LaneState = 'idle' | 'due' | 'calling' | 'backing_off' | 'parked';

/**
 * The knowledge about the account of the lane's subject at the destination.
 *
 * - `bound`: its id is known.
 * - `none`: there is none; the call for an active user creates it.
 * - `unnamed`: it exists under an unknown id, and is written to without a question.
 * - `lost`: it may exist under an unknown id; the destination is asked first.
 * - `sought`: an account is in the way; the destination is asked first.
 */
export type AccountFact = 'bound' | 'none' | 'unnamed' | 'lost' | 'sought';

export interface Lane {
  state: LaneState;
  target: TargetState;
  /** The order of claims: leavers 0, live changes 1, repetitions in the background 2, waiting aside 3. */
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

export type LaneEvent =
  | { kind: 'enqueued'; sequence: number; target: TargetState; rank: number; at: Date }
  /** A worker takes the lane, which freezes the call. `early`: a pause that is not over does not count. */
  | { kind: 'claimed'; token: string; until: Date; epoch: number; policy: Policy; body: string; early: boolean }
  | Settlement
  | HandBack
  /** An administrator, or the end of a pause, wants it sent at once. */
  | { kind: 'unparked' }
  | { kind: 'resent' }
  | { kind: 'rebound'; epoch: number }
  /** The destination's list names the account of the subject. */
  | { kind: 'imported'; epoch: number; accountId: string; state: TargetState; digest: string }
  | { kind: 'dismissed' }
  | { kind: 'destination_returned' }
  | { kind: 'account_released' }
  /** Another lane needs names that the account of a leaver still has. */
  | { kind: 'names_needed'; standIn: StandInNames };

/** The action of the channel in each state, by the settings of the destination. */
export type Policy = Readonly<Record<TargetState, string>>;

interface HandBack {
  kind: 'handed_back';
  token: string;
}

/**
 * The event of a lane whose call has an outcome. The last three fields are of the destination; until the lane is locked they
 * have neutral values.
 */
export interface Settlement {
  kind: 'settled';
  token: string;
  call: Call;
  /** All changes up to `through`, or else up to the call's, are settled. */
  done: boolean;
  through?: number | undefined;
  givenUp?: { reason: string; message: TriedMessage | null };
  /** The outcome is open: the call stays, to be repeated byte for byte. */
  keep: boolean;
  confirm: boolean;
  /** The destination has another body than the confirmed one. */
  outdated?: boolean;
  /** The id of the account: a new one, null to forget it, undefined to leave it. */
  bind: string | null | undefined;
  lookup: Lookup | null;
  /** In a row, including this one. */
  failureCount: number;
  failed: boolean;
  /** The failure counts towards parking, if other lanes succeeded since the last one. */
  ownFault: boolean;
  waitMs: number | null;
  aside?: boolean;
  parked?: string;
  parkedDetail?: string;
  epoch: number;
  lastSuccessAt: Date | null;
  ownFailureLimit: number;
}

/** A lane that a worker holds under a lease. */
export interface LeasedLane {
  subject: string;
  token: string;
  call: Call;
  /** In a row before this call, which set the pace. */
  failureCount: number;
  /** The call was frozen by this claim, so it cannot have been sent yet. */
  fresh: boolean;
  /** When it was claimed, in monotonic milliseconds of this process. */
  claimedAt: number;
  /** For how long its oldest change had waited at the claim, by the clock of the database. */
  waitedMs: number;
}

export interface SettledStep {
  lane: LeasedLane;
  event: Settlement | HandBack;
  attempts: readonly Attempt[];
}

/** Notifies the delivery of a commit. A port of one method: the road of a request does not know the worker that sends. */
export abstract class LaneWakeups {
  /** Makes the worker of the destination look at once, before the next poll. */
  abstract wake(key: DestinationKey): void;
}
