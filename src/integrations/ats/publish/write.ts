import type { WriteTarget } from '../connectors/connector.js';

export const ATS = 'ats';

/**
 * The states of a write.
 * - `waiting`: not written yet. - `written`: the ATS has it, and showed it.
 * - `superseded`: a newer revision replaced it before it was written.
 * - `failed`: the ATS refuses it. - `dismissed`: by hand.
 * - `left`: it no longer applies, or cannot be undone there.
 */
export const WRITE_STATES = ['waiting', 'written', 'superseded', 'failed', 'dismissed', 'left'] as const;

export type WriteState = (typeof WRITE_STATES)[number];

export type WriteKind = 'link' | 'scorecard';

/** A write to an ATS as stored. Its text is made when it is sent, so that no personal data is stored here. */
export interface AtsWriteRow {
  id: string;
  connection_id: string;
  candidate_id: string;
  interview_id: string;
  kind: WriteKind;
  /** `remove` undoes the write of an earlier revision. */
  action: 'put' | 'remove';
  revision: number;
  sequence: string;
  state: WriteState;
  target: WriteTarget | null;
  /** Part of the text, which tells this write from all others. */
  marker: string;
  remote_ref: string | null;
  attempts: number;
  attempted_at: Date | null;
  written_at: Date | null;
  reason: string | null;
  detail: string | null;
  created_at: Date;
  updated_at: Date;
}

export const GONE = 'candidate_gone';

export const MARKER_BEGIN = '[talent-bridge ';

export function scorecardMarker(interviewId: string, revision: number): string {
  return `${MARKER_BEGIN}${interviewId} scorecard r${revision}]`;
}

/** Tells a write from all others at its target. A link is stored with its address: its target is known late. */
export function markerOf(
  { kind, interview_id, marker }: Pick<AtsWriteRow, 'kind' | 'interview_id' | 'marker'>,
  target: WriteTarget | null,
): string {
  return kind === 'link' && target === 'note' ? linkMarker(interview_id) : marker;
}

/** Returns the marker of a meeting's note. Notes of people have the address alone as well. */
export function linkMarker(interviewId: string): string {
  return `${MARKER_BEGIN}${interviewId} link]`;
}
