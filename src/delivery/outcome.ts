import type { Lookup } from './call.js';

/** What one step towards the platform came to. */
export type Outcome =
  /** The platform has what the lane wanted. */
  | { kind: 'delivered'; bind?: string | null; adopted?: string }
  /** Nothing had to be said. */
  | { kind: 'nothing' }
  /**
   * The platform answered, and another step follows at once. `confirm`: it already has the person as sent.
   * `circling`: it says one thing and then another, so the step has to wait, and counts as a failure.
   */
  | {
      kind: 'next';
      lookup: Lookup | null;
      bind?: string | null;
      adopted?: string;
      confirm?: boolean;
      circling?: boolean;
    }
  /** Somebody else's delivery has to come first. `lookup` counts the waits, which sets their pace. */
  | { kind: 'wait'; detail: string; lookup?: Lookup }
  /** The answer of a platform that is away or in trouble; what was sent may or may not have taken effect. */
  | { kind: 'unavailable'; reason: string; charge: boolean; retryAfterMs: number | null }
  /** The platform will not have it. */
  | { kind: 'refused'; status: number; detail: string }
  /** The platform could have it, but we must not. */
  | { kind: 'park'; reason: string; detail: string }
  /** Nobody's call can succeed before a person has changed the settings. */
  | { kind: 'stopped'; reason: 'credential_refused' | 'redirect' | 'address_refused'; detail: string };

/** One request as it is kept for whoever asks why. */
export interface Attempt {
  method: string;
  /** Without the query: it can hold an e-mail address. */
  path: string;
  status: number | null;
  outcome: string;
  detail: string | null;
  /** The beginning of an answer that was no success. */
  answer: string | null;
  ms: number;
  sentAt: Date;
}

export interface Sent {
  outcome: Outcome;
  attempts: Attempt[];
}
