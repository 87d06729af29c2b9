import type { Lookup } from './call.js';

/** The message that a call carries, for what is kept of it when it is given up. */
export interface TriedMessage {
  name: string;
  /** The id of the record that it is about; null: none. */
  record: string | null;
  /** The time of the fact. */
  at: Date;
}

/** What one step towards a destination came to. */
export type Outcome =
  /** The destination has what the call said. */
  | {
      kind: 'delivered';
      bind?: string | null;
      /** The sequence up to which it has it, where the call goes further. */
      through?: number;
    }
  /** Nothing had to be sent. */
  | { kind: 'nothing' }
  /**
   * The destination answered, and another step follows at once. `confirm`: it already has the body as sent. `outdated`: it
   * has another body than the one it is known to have. `circling`: its answers contradict each other, so the step waits,
   * and counts as a failure.
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
   * `notTheirs`: the failure does not count against the destination. `through`: as for `delivered`, of what is tried.
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
  /** The destination refused the call. */
  | { kind: 'refused'; status: number; detail: string }
  /** The destination would take it, but another rule forbids to send it. */
  | { kind: 'park'; reason: string; detail: string }
  /** No call can succeed before an administrator changes the settings. */
  | { kind: 'stopped'; reason: 'credential_refused' | 'redirect' | 'address_refused' | 'gone'; detail: string };

/** One request as it is kept. */
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
  /** The address that was dialled, where the channel tells it. */
  address?: string | null;
  /** Whose fault a failure was, where the channel tells it. */
  fault?: string | null;
}

/** The outcome of a step, with its requests. */
export interface Sent {
  outcome: Outcome;
  attempts: Attempt[];
}
