import type { InterviewRow, InterviewState } from '../../../src/hiring/interviews/interview.js';
import {
  ASKED_MEETING,
  mayBeAtEngine,
  meetingAfter,
  meetingReason,
  meetingUrlProblem,
  NO_MEETING,
  readyMeeting,
  shownMeetingState,
} from '../../../src/hiring/interviews/meeting.rules.js';

const LINK = 'https://meet.example.com/abc';
const OTHER = 'https://meet.example.com/other';

test('takes web addresses', () => {
  expect([LINK, 'http://meet.example.com'].map(meetingUrlProblem)).toEqual([null, null]);
});

test.each<[unknown, RegExp]>([
  [7, /must be text/],
  [`https://a.example/${'x'.repeat(2_000)}`, /at most 2000 characters/],
  ['javascript:alert(1)', /complete http or https address/],
  ['meet.example.com/abc', /complete http or https address/],
  ['https://meet.example.com/a b', /complete http or https address/],
  ['https://meet.example.com/\u202eabc', /complete http or https address/],
  ['https://user:secret@meet.example.com', /user name or password/],
])('refuses %j as a link', (value, problem) => {
  expect(meetingUrlProblem(value)).toMatch(problem);
});

test('changes nothing when the link is sent back unchanged', () => {
  expect(meetingAfter(readyMeeting(LINK, 'sandbox'), LINK)).toEqual({});
  expect(meetingAfter(NO_MEETING, null)).toEqual({});
});

test('takes the link of the caller in place of every other one', () => {
  expect(meetingAfter(readyMeeting(LINK, 'caller'), OTHER)).toEqual(readyMeeting(OTHER, 'caller'));
});

test('remembers that the engine may have the interview when the caller sends a link', () => {
  expect(meetingAfter(ASKED_MEETING, LINK)).toMatchObject({
    meeting_url: LINK,
    meeting_source: 'caller',
    at_engine: true,
  });
  expect([mayBeAtEngine(ASKED_MEETING), mayBeAtEngine(NO_MEETING)]).toEqual([true, false]);
});

test('takes back the link of the caller alone when null is sent', () => {
  expect(meetingAfter(readyMeeting(LINK, 'caller'), null)).toEqual(NO_MEETING);
  expect(meetingAfter(readyMeeting(LINK, 'sandbox'), null)).toEqual({});
});

const reason = (meeting: Partial<InterviewRow>, state: InterviewState = 'scheduled') =>
  meetingReason({ ...NO_MEETING, ...meeting, state });
const SAID = 'It said: 409 room is taken then';

test.each<[string, Partial<InterviewRow>, InterviewState, RegExp | null]>([
  ['has the link', readyMeeting(LINK, 'caller'), 'scheduled', null],
  ['has no engine', {}, 'scheduled', /no interview engine.*PUT \/interview-engine.*meeting_url: null/],
  ['waits', { ...ASKED_MEETING, meeting_detail: SAID }, 'scheduled', /asked again until it does.*room is taken then/],
  ['waits and has begun', ASKED_MEETING, 'in_progress', /asked again until it does/],
  ['waits and is completed', ASKED_MEETING, 'completed', /is completed, and no link is asked for any more/],
  ['waits and is cancelled', ASKED_MEETING, 'cancelled', /is cancelled, and no link/],
  ['waits and did not take place', ASKED_MEETING, 'no_show', /did not take place, and no link/],
  ['is refused', { meeting_state: 'failed', meeting_detail: SAID }, 'scheduled', /taken then.*PATCH/],
  ['is refused and has begun', { meeting_state: 'failed' }, 'in_progress', /has begun, and keeps its plan/],
  [
    'has a new plan that is refused',
    { ...readyMeeting(LINK, 'caller'), meeting_detail: SAID },
    'scheduled',
    /room is taken then.*another plan/,
  ],
])('gives the reason and the next step when an interview %s', (_, meeting, state, expected) => {
  if (expected === null) expect(reason(meeting, state)).toBeNull();
  else expect(reason(meeting, state)).toMatch(expected);
});

test('shows that no link is waited for when the interview is over', () => {
  const states = (['scheduled', 'in_progress', 'completed', 'cancelled', 'no_show'] as const).map((state) =>
    shownMeetingState({ meeting_state: 'waiting', state }),
  );
  expect(states).toEqual(['waiting', 'waiting', 'none', 'none', 'none']);
});
