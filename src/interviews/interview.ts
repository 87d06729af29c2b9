/** The states of an interview. */
export const INTERVIEW_STATES = ['scheduled', 'in_progress', 'completed', 'cancelled', 'no_show'] as const;

/** One of {@link INTERVIEW_STATES}. */
export type InterviewState = (typeof INTERVIEW_STATES)[number];

/** An interview as it is stored. */
export interface InterviewRow {
  id: string;
  candidate_id: string;
  job_id: string | null;
  state: InterviewState;
  starts_at: Date;
  ends_at: Date;
  /** An IANA name, for calendars; the times themselves are moments. */
  time_zone: string | null;
  interviewers: string[];
  meeting_url: string | null;
  /** The number of the record's writes. */
  sequence: number;
  created_at: Date;
  updated_at: Date;
}

/** What makes an interview. */
export interface InterviewFields {
  starts_at: Date;
  ends_at: Date;
  time_zone?: string | null;
  interviewers?: string[];
  /** Left out: the opening that the candidate's metadata names. */
  job_id?: string | null;
}

/** What a caller says of an interview that is there. Absent: as it was. */
export type InterviewChange = Partial<InterviewFields> & { state?: InterviewState };

/** One line of a scorecard. */
export interface Criterion {
  name: string;
  /** Null: not rated. */
  score: number | null;
  /** The lowest and the highest score. */
  scale: { min: number; max: number } | null;
  evidence: string | null;
}

/** What a scorecard says. */
export interface ScorecardContent {
  overall: number | null;
  recommendation: string | null;
  summary: string | null;
  criteria: Criterion[];
  link: string | null;
}

/** A scorecard as it is stored: one version of it. */
export interface ScorecardRow {
  interview_id: string;
  version: number;
  content: ScorecardContent;
  created_at: Date;
}
