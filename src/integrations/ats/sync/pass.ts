/** The parts of a pass, in their order. `absent_…`: records that a full pass has not seen are read one by one. */
export const PHASES = ['jobs', 'candidates', 'gone', 'absent_jobs', 'absent_candidates'] as const;

export type Phase = (typeof PHASES)[number];

export type PollKind = 'jobs' | 'candidates' | 'gone';

/** Why a pass begins. `webhooks_made`: it reads the changes while the ATS had no webhooks. */
export const PASS_REASONS = ['first', 'scheduled', 'by_hand', 'webhooks_made'] as const;
export type PassReason = (typeof PASS_REASONS)[number];

export interface PassCounts {
  read: number;
  created: number;
  updated: number;
  closed: number;
  deleted: number;
  not_taken: number;
  /** Records that should have been taken and could not. */
  left_out: number;
}

export interface LeftOut {
  remote_id: string | null;
  reason: string;
}

/** Detects a list without an end. A mark is compared with each cursor, and moved at powers of two (Brent). */
export interface CursorWatch {
  mark: string | null;
  steps: number;
  power: number;
  pages: number;
  empty: number;
}

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

export interface PollMark {
  since: Date | null;
  syncToken: string | null;
  fullAt: Date | null;
}
