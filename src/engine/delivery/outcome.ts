import { hash } from 'node:crypto';

/** The state that a user has, or should have, at the destination. */
export type TargetState = 'active' | 'inactive' | 'deleted';

/** The names that an account gets so that another account can have its present ones. */
export interface StandInNames {
  email?: string;
  external_id?: string;
}

/** Why the destination is asked before anything is written. */
export interface Lookup {
  /**
   * `conflict`: a write met an existing account. `gone`: the destination does not know the account's id any more. `lost`: a
   * create was given up and its outcome is unknown. `no_id`: the answer to a create named no id. `dissolved`: the conflicting
   * account is gone; the write is repeated without a question. `found`: an account was found and bound; before the first write,
   * `AccountFinder.verify` checks that no other lane bound it at the same time. `aside`: the account gets the names of
   * `standIn` first, so that another lane can have its present ones.
   */
  why: 'conflict' | 'gone' | 'lost' | 'no_id' | 'dissolved' | 'found' | 'aside';
  id?: string;
  status?: number;
  dissolved?: number;
  /** How many times this lane waited for the delivery of another lane, and the subject of the last one. */
  waited?: number;
  behind?: string;
  asked?: number;
  standIn?: StandInNames;
  /** The digest of the body for which the stand-in was chosen; true: the destination has refused the stand-in. */
  stoodAside?: string | true;
  /** The text of the refusal, for the administrator who decides when no account is found. */
  detail?: string;
}

/**
 * One call, frozen in the lane by its claim. All bytes of the request are a pure function of it, so a call whose outcome is
 * unknown is repeated byte for byte. A frozen call never changes: it is repeated, or dropped.
 */
export interface Call {
  /** The version of the rendering: a newer version still renders older calls unchanged. */
  v: 1;
  n: number;
  /** The lease under which the call was frozen. */
  by: string;
  state: TargetState;
  /** The body as text; of the platform, the user as JSON. */
  person: string;
  /** The action of the channel in this state; for the platform, that on the account of a leaver. */
  as: string;
  first: number;
  through: number;
  round: number;
  epoch: number;
  platform_id: string | null;
  confirmed: TargetState | null;
  /** The digest of the body that the destination is known to have. */
  known: string | null;
  lookup: Lookup | null;
}

/** Returns the digest under which a lane remembers the body at the destination. */
export function digestOf(body: string): string {
  return hash('sha256', body, 'hex');
}

/** Whether the destination is known to have exactly the state of the call. */
export function isKnown(call: Call): boolean {
  if (call.lookup !== null || call.confirmed !== call.state) return false;
  return call.state !== 'active' || (call.known !== null && call.known === digestOf(call.person));
}

/** Lookups after which the destination is written to; the others ask it first. */
const ANSWERED: ReadonlySet<Lookup['why']> = new Set(['dissolved', 'found', 'aside']);

/** Whether the destination is asked before anything is written. */
export function asksFirst(lookup: Lookup | null): boolean {
  return lookup !== null && !ANSWERED.has(lookup.why);
}

/** Whether the user is active and has no account, and no question comes first. */
export function createsAccount(call: Call): boolean {
  return call.platform_id === null && call.state === 'active' && !asksFirst(call.lookup);
}

/**
 * Returns the idempotency key of a call, the same for all its repetitions. The lease in it distinguishes calls of the same
 * number, before and after a restore of the database.
 */
export function deliveryId(subject: string, call: Call): string {
  return `dlv_${subject}_${call.n}_${call.by.slice(0, 8)}`;
}

export interface TriedMessage {
  name: string;
  record: string | null;
  at: Date;
}

/** The result of one step towards a destination. */
export type Outcome =
  | {
      kind: 'delivered';
      bind?: string | null;
      /** The sequence that the destination has, where the call goes further. */
      through?: number;
    }
  | { kind: 'nothing' }
  /**
   * The destination answered, and another step follows at once. `confirm`: it already has the body as sent. `outdated`: it has
   * another body than the one it is known to have. `circling`: its answers contradict each other, so the step waits, and counts
   * as a failure.
   */
  | {
      kind: 'next';
      lookup: Lookup | null;
      bind?: string | null;
      adopted?: string;
      confirm?: boolean;
      outdated?: boolean;
      circling?: boolean;
    }
  /** The delivery of another lane has to come first. `lookup` counts the waits, which sets their pace. */
  | { kind: 'wait'; detail: string; lookup?: Lookup }
  /**
   * The destination is away or in trouble. The request may have taken effect. `ownFault`: the call may be the cause.
   * `notTheirs`: the failure does not count against the destination. `through`: the sequence up to which messages were tried.
   */
  | {
      kind: 'unavailable';
      reason: string;
      ownFault: boolean;
      retryAfterMs: number | null;
      notTheirs?: boolean;
      through?: number;
      message?: TriedMessage;
    }
  | { kind: 'refused'; status: number; detail: string }
  /** The destination would take it, but another rule forbids to send it. */
  | { kind: 'park'; reason: string; detail: string }
  /** No call can succeed before an administrator changes the settings. */
  | { kind: 'stopped'; reason: 'credential_refused' | 'redirect' | 'address_refused' | 'gone'; detail: string };

/** One request as recorded. */
export interface Attempt {
  method: string;
  /** Without the query, which can hold an e-mail address. */
  path: string;
  status: number | null;
  outcome: string;
  detail: string | null;
  /** The beginning of an answer that was no success. */
  answer: string | null;
  ms: number;
  sentAt: Date;
  /** The id of the message, where the channel has one; else that of the call. */
  deliveryId?: string;
  /** The sequence of the message, where the call covers several. */
  sequence?: number;
  /** The address that was dialled, where the channel reports it. */
  address?: string | null;
  /** Whose fault a failure was, where the channel reports it. */
  fault?: string | null;
}

/** The outcome of a step, with its requests. */
export interface Sent {
  outcome: Outcome;
  attempts: Attempt[];
}
