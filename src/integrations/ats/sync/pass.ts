/** The parts of a pass, in their order. `absent_…`: records that a full pass has not seen are read one by one. */
export const PHASES = ['jobs', 'candidates', 'gone', 'absent_jobs', 'absent_candidates'] as const;

export type Phase = (typeof PHASES)[number];

/** The lists that are polled. */
export type PollKind = 'jobs' | 'candidates' | 'gone';

/** Why a pass begins. `webhooks_made`: it reads the changes while the ATS had no webhooks. */
export const PASS_REASONS = ['first', 'scheduled', 'by_hand', 'webhooks_made'] as const;
/** One of `PASS_REASONS`. */
export type PassReason = (typeof PASS_REASONS)[number];

/** The result of a pass. */
export interface PassCounts {
  /** Records that the ATS has shown. */
  read: number;
  created: number;
  updated: number;
  closed: number;
  deleted: number;
  /** Records outside of the selection. */
  not_taken: number;
  /** Records that should have been taken and could not. */
  left_out: number;
}

/** A record that was left out, with its reason. */
export interface LeftOut {
  remote_id: string | null;
  reason: string;
}

/** Detects a list without an end. A mark is compared with each cursor, and moved at powers of two (Brent). */
export interface CursorWatch {
  mark: string | null;
  steps: number;
  power: number;
  /** Pages of the list so far. */
  pages: number;
  /** Pages without a row, since the last one with a row. */
  empty: number;
}

/** A pass that is under way, as it is stored between its pages. */
export interface Pass {
  runId: string;
  reason: PassReason;
  isFirst: boolean;
  isFull: boolean;
  startedAt: string;
  phase: Phase;
  /** The start of the phase: the lower bound of the next pass. */
  phaseAt: string;
  cursor: string | null;
  watch: CursorWatch;
  counts: PassCounts;
  leftOut: LeftOut[];
}

/** Where the next pass over a list begins. */
export interface PollMark {
  since: Date | null;
  syncToken: string | null;
  fullAt: Date | null;
}
