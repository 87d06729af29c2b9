import type { FieldError } from '../../base/errors/domain-error.js';
import { present } from '../../base/present.js';
import type { InterviewChange, InterviewFields, InterviewRow, Meeting } from './interview.js';
import { meetingAfter } from './meeting.rules.js';

const HOUR_MS = 3_600_000;
const LONGEST_MS = 24 * HOUR_MS;

/** Fields that only an interview which has not begun can change. */
const PLANNED = ['starts_at', 'ends_at', 'time_zone', 'job_id', 'interviewers', 'meeting_url'] as const;

/** Returns what is wrong with the times of an interview. */
export function timeProblems({ starts_at, ends_at }: Pick<InterviewRow, 'starts_at' | 'ends_at'>): FieldError[] {
  const length = ends_at.getTime() - starts_at.getTime();
  if (length <= 0) return [{ field: 'ends_at', message: 'must be after starts_at' }];
  if (length > LONGEST_MS) return [{ field: 'ends_at', message: 'must be at most 24 hours after starts_at' }];
  return [];
}

/** Returns what is wrong with the name of a time zone, or null. Offsets are no names: they do not know summer time. */
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

/** Returns what is wrong with a list of interviewers, or null. */
export function interviewersProblem(value: unknown): string | null {
  if (!Array.isArray(value)) return 'must be a list of texts';
  if (value.length > 20) return 'must have at most 20 entries';
  const isText = (one: unknown): boolean => typeof one === 'string' && one.trim() !== '' && one.length <= 320;
  if (!value.every(isText)) return 'must hold texts of 1 to 320 characters';
  if (value.some((one: string) => /[\p{Cc}\p{Cs}]/u.test(one))) return 'must not contain control characters';
  return new Set(value).size === value.length ? null : 'must hold each entry once';
}

/** Returns a new interview. */
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

/** Returns the interview after a change, and which fields of its plan have other values. */
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
  // The refusal of a former plan says nothing of the new one.
  const meeting_detail = replanned.length > 0 && after.meeting_state === 'ready' ? null : after.meeting_detail;
  return { after: { ...after, meeting_detail }, replanned, moved: after.state !== before.state };
}
