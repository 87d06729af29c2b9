import type { FieldError } from '../../base/errors/domain-error.js';
import { present } from '../../base/present.js';
import type {
  InterviewChange,
  InterviewFields,
  InterviewRow,
  Meeting,
  InterviewState,
  ScorecardContent,
  ScorecardRow,
} from './interview.js';
import { meetingAfter } from './meeting.rules.js';

const HOUR_MS = 3_600_000;
const LONGEST_MS = 24 * HOUR_MS;

/** Fields that only an interview which has not begun can change. */
const PLANNED = ['starts_at', 'ends_at', 'time_zone', 'job_id', 'interviewers', 'meeting_url'] as const;

export function timeProblems({ starts_at, ends_at }: Pick<InterviewRow, 'starts_at' | 'ends_at'>): FieldError[] {
  const length = ends_at.getTime() - starts_at.getTime();
  if (length <= 0) return [{ field: 'ends_at', message: 'must be after starts_at' }];
  if (length > LONGEST_MS) return [{ field: 'ends_at', message: 'must be at most 24 hours after starts_at' }];
  return [];
}

export function timeZoneProblem(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be text';
  const problem = 'must be a name of the IANA time zone database, such as Europe/Zurich';
  if (!/^[A-Za-z]/.test(value) || value.length > 64) return problem;
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    return null;
  } catch {
    return problem;
  }
}

export function interviewersProblem(value: unknown): string | null {
  if (!Array.isArray(value)) return 'must be a list of texts';
  if (value.length > 20) return 'must have at most 20 entries';
  const isText = (one: unknown): boolean => typeof one === 'string' && one.trim() !== '' && one.length <= 320;
  if (!value.every(isText)) return 'must hold texts of 1 to 320 characters';
  if (value.some((one: string) => /[\p{Cc}\p{Cs}]/u.test(one))) return 'must not contain control characters';
  return new Set(value).size === value.length ? null : 'must hold each entry once';
}

export function newInterview(
  fields: InterviewFields,
  known: { id: string; candidateId: string; jobId: string | null; meeting: Meeting; at: Date },
): InterviewRow {
  const { id, candidateId, jobId, meeting, at } = known;
  return {
    id,
    candidate_id: candidateId,
    job_id: jobId,
    state: 'scheduled',
    starts_at: fields.starts_at,
    ends_at: fields.ends_at,
    time_zone: fields.time_zone ?? null,
    interviewers: fields.interviewers ?? [],
    ...meeting,
    sequence: 1,
    created_at: at,
    updated_at: at,
  };
}

export function changedInterview(
  before: InterviewRow,
  change: InterviewChange,
  at: Date,
): { after: InterviewRow; replanned: readonly string[]; moved: boolean } {
  const { meeting_url: sent, ...plan } = change;
  const meeting = sent === undefined ? {} : meetingAfter(before, sent);
  const after: InterviewRow = {
    ...before,
    ...present(plan),
    ...meeting,
    sequence: before.sequence + 1,
    updated_at: at,
  };
  const replanned = PLANNED.filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));
  // The refusal of a former plan does not concern the new one.
  const meeting_detail = replanned.length > 0 && after.meeting_state === 'ready' ? null : after.meeting_detail;
  return { after: { ...after, meeting_detail }, replanned, moved: after.state !== before.state };
}

/** The moves of an interview. States without a move are final. */
const MOVES: Readonly<Record<InterviewState, readonly InterviewState[]>> = {
  scheduled: ['in_progress', 'cancelled', 'no_show'],
  in_progress: ['completed', 'cancelled', 'no_show'],
  completed: [],
  cancelled: [],
  no_show: [],
};

const SCORED: ReadonlySet<InterviewState> = new Set(['scheduled', 'in_progress', 'completed']);

export function movesFrom(state: InterviewState): readonly InterviewState[] {
  return MOVES[state];
}

export function mayMove(from: InterviewState, to: InterviewState): boolean {
  return from === to || MOVES[from].includes(to);
}

export function takesScorecard(state: InterviewState): boolean {
  return SCORED.has(state);
}

/** Bytes, as JSON in UTF-8. */
const MOST_BYTES = 64 * 1024;

/** Returns what is wrong with a scorecard whose fields are right one by one. */
export function scorecardProblems(content: ScorecardContent): FieldError[] {
  const { overall, recommendation, summary, criteria } = content;
  if (overall === null && recommendation === null && summary === null && criteria.length === 0) {
    return [{ field: 'overall', message: 'is required where the scorecard says nothing else' }];
  }
  const problems = criteria.flatMap(({ score, scale }, i): FieldError[] => {
    if (scale !== null && scale.min >= scale.max) {
      return [{ field: `criteria.${i}.scale.max`, message: 'must be above min' }];
    }
    if (score === null) return [];
    if (scale === null) return [{ field: `criteria.${i}.scale`, message: 'is required with a score' }];
    if (score >= scale.min && score <= scale.max) return [];
    return [{ field: `criteria.${i}.score`, message: `must be from ${scale.min} to ${scale.max}` }];
  });
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes <= MOST_BYTES) return problems;
  return [
    ...problems,
    { field: 'criteria', message: `the scorecard must have at most ${MOST_BYTES} bytes, and has ${bytes}` },
  ];
}

type ScorecardVerdict =
  | { kind: 'same' }
  | { kind: 'new'; version: number }
  /** The version that was named is not the next one. */
  | { kind: 'conflict'; next: number };

/** A scorecard equal to the newest is no new version: the engine repeats unanswered requests. */
export function versionOf(
  content: ScorecardContent,
  version: number | null,
  newest: Pick<ScorecardRow, 'version' | 'content'> | undefined,
): ScorecardVerdict {
  const next = (newest?.version ?? 0) + 1;
  const same = newest !== undefined && JSON.stringify(newest.content) === JSON.stringify(content);
  if (same && (version === null || version === newest.version)) return { kind: 'same' };
  return version === null || version === next ? { kind: 'new', version: next } : { kind: 'conflict', next };
}
