export const INTERVIEW_STATES = ['scheduled', 'in_progress', 'completed', 'cancelled', 'no_show'] as const;

export type InterviewState = (typeof INTERVIEW_STATES)[number];

/** Where a meeting link comes from: the caller, the tenant's interview engine, or the sandbox of an installation that is not in production. */
export const MEETING_SOURCES = ['caller', 'engine', 'sandbox'] as const;

export type MeetingSource = (typeof MEETING_SOURCES)[number];

/**
 * How far the meeting link is. `waiting`: the engine was asked, and has not answered yet. `failed`: the engine has
 * refused the interview. `none`: there is no engine, and the caller has given no link.
 */
export const MEETING_STATES = ['ready', 'waiting', 'failed', 'none'] as const;

export type MeetingState = (typeof MEETING_STATES)[number];

export interface Meeting {
  meeting_url: string | null;
  meeting_source: MeetingSource | null;
  meeting_state: MeetingState;
  /** In a sentence, why the link waits or was refused, or why the engine keeps a former plan. */
  meeting_detail: string | null;
  /** The engine has taken the interview, and needs its changes. */
  at_engine: boolean;
}

/** An interview as it is stored. */
export interface InterviewRow extends Meeting {
  id: string;
  candidate_id: string;
  job_id: string | null;
  state: InterviewState;
  starts_at: Date;
  ends_at: Date;
  /** An IANA name, for calendars; the times are moments. */
  time_zone: string | null;
  interviewers: string[];
  sequence: number;
  created_at: Date;
  updated_at: Date;
}

type Planned = Pick<InterviewRow, 'time_zone' | 'interviewers' | 'job_id' | 'meeting_url'>;

/** Defaults: the opening that the metadata of the candidate names, and the link of the engine. */
export type InterviewFields = Pick<InterviewRow, 'starts_at' | 'ends_at'> &
  Partial<Planned> & {
    /** Also for a candidate who is no longer active in the ATS. */
    force?: boolean;
  };

/** The fields of an existing interview that a caller sends. Absent: unchanged. */
export type InterviewChange = Partial<Omit<InterviewFields, 'force'>> & { state?: InterviewState };

/** One line of a scorecard. */
export interface Criterion {
  name: string;
  /** Null when not rated. */
  score: number | null;
  scale: { min: number; max: number } | null;
  evidence: string | null;
}

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
