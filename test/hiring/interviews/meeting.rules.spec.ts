import {
  ASKED_MEETING,
  mayBeAtEngine,
  meetingAfter,
  meetingReason,
  meetingUrlProblem,
  NO_MEETING,
  readyMeeting,
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

test('gives the reason for a missing link, and the next step', () => {
  expect(meetingReason(readyMeeting(LINK, 'caller') as never)).toBeNull();
  expect(meetingReason(NO_MEETING as never)).toMatch(/no interview engine.*PUT \/interview-engine/);
  expect(meetingReason({ ...ASKED_MEETING, meeting_detail: 'busy' })).toMatch(/not given a link yet.*said: busy/);
  expect(meetingReason({ ...ASKED_MEETING, meeting_state: 'failed' } as never)).toMatch(/refused the interview/);
});
