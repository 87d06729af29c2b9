import { parsedUrl } from '../../base/url.js';
import type { InterviewRow, InterviewState, Meeting, MeetingState } from './interview.js';

const MAX_URL = 2_000;

export const NO_MEETING: Meeting = {
  meeting_url: null,
  meeting_source: null,
  meeting_state: 'none',
  meeting_detail: null,
  at_engine: false,
};

export const ASKED_MEETING: Meeting = { ...NO_MEETING, meeting_source: 'engine', meeting_state: 'waiting' };

export function readyMeeting(url: string, source: 'caller' | 'sandbox'): Meeting {
  return { ...NO_MEETING, meeting_url: url, meeting_source: source, meeting_state: 'ready' };
}

export function meetingUrlProblem(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be text';
  if (value.length > MAX_URL) return `must have at most ${MAX_URL} characters`;
  const url = /[\p{Cc}\p{Cf}\s]/u.test(value) ? null : parsedUrl(value);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return 'must be a complete http or https address, such as https://meet.example.com/abc';
  }
  return url.username === '' && url.password === '' ? null : 'must not contain a user name or password';
}

/** A link that is sent back unchanged changes nothing. The caller's null removes only the caller's own link. */
export function meetingAfter(before: Meeting, sent: string | null): Partial<Meeting> {
  if (sent === before.meeting_url) return {};
  const at_engine = mayBeAtEngine(before);
  if (sent !== null) return { ...readyMeeting(sent, 'caller'), at_engine };
  return before.meeting_source === 'caller' ? { ...NO_MEETING, at_engine } : {};
}

/** Returns whether the engine has an interview, or may have it: the answer to a create can be lost. */
export function mayBeAtEngine({ at_engine, meeting_source }: Pick<Meeting, 'at_engine' | 'meeting_source'>): boolean {
  return at_engine || meeting_source === 'engine';
}

const OVER: Partial<Record<InterviewState, string>> = {
  completed: 'is completed',
  cancelled: 'is cancelled',
  no_show: 'did not take place',
};

export function awaitsLink({ state, meeting_state }: Pick<InterviewRow, 'state' | 'meeting_state'>): boolean {
  return meeting_state === 'waiting' && OVER[state] === undefined;
}

/** Returns the state of the link for the API: an interview that is over does not wait for a link. */
export function shownMeetingState(row: Pick<InterviewRow, 'state' | 'meeting_state'>): MeetingState {
  return row.meeting_state === 'waiting' && !awaitsLink(row) ? 'none' : row.meeting_state;
}

/** Returns in words why an interview has no link, or a meeting that is not as planned; null for a planned meeting. */
export function meetingReason(row: Pick<InterviewRow, 'state' | keyof Meeting>): string | null {
  const { state, meeting_state: meeting, meeting_detail: detail } = row;
  const said = detail === null ? '' : ` ${detail}`;
  const over = OVER[state];
  if (over !== undefined) {
    return meeting === 'ready' ? null : `The interview ${over}, and no link is asked for any more.${said}`;
  }
  switch (meeting) {
    case 'ready':
      if (detail === null) return null;
      return `${detail} Send another plan with PATCH, which asks the engine again, or your own meeting_url.`;
    case 'waiting':
      return `The interview engine has not given a link yet, and is asked again until it does. The link is then written to the ATS.${said}`;
    case 'failed':
      return `${detail ?? 'The interview engine refused the interview.'} ${state === 'scheduled' ? 'Send your own meeting_url with PATCH, or another plan or meeting_url: null, which asks the engine again.' : 'The interview has begun, and keeps its plan.'}`;
    case 'none':
      return 'The tenant has no interview engine, and no meeting_url was sent: nothing is written to the ATS. Send meeting_url with PATCH; or set an engine with PUT /interview-engine, and send meeting_url: null, which asks it.';
  }
}
