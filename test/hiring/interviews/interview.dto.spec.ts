import { readyMeeting } from '../../../src/hiring/interviews/meeting.rules.js';
import { completedFact, interviewFact } from '../../../src/hiring/interviews/interview.dto.js';
import { newInterview } from '../../../src/hiring/interviews/interview.rules.js';

const AT = new Date('2026-03-05T13:00:00Z');
const ROW = newInterview(
  { starts_at: AT, ends_at: new Date('2026-03-05T14:00:00Z') },
  {
    id: 'int_1',
    candidateId: 'cand_1',
    jobId: 'job_1',
    meeting: readyMeeting('https://x.example/i/int_1', 'caller'),
    at: AT,
  },
);
const CONTENT = { overall: 3, recommendation: null, summary: 'Good.', criteria: [], link: null };
const card = (summary: string) => ({
  interview_id: 'int_1',
  version: 2,
  content: { ...CONTENT, summary },
  created_at: AT,
});

it('ends an event with its sequence, before which an erasure cuts', () => {
  const { event, record, data } = interviewFact('interview.cancelled', ROW, 'gh_1');
  expect([event, record]).toEqual(['interview.cancelled', 'int_1']);
  expect(JSON.parse(data)).toMatchObject({ id: 'int_1', candidate_external_id: 'gh_1', job_id: 'job_1' });
  expect(data).toMatch(/,"sequence":1}$/);
  expect(completedFact(ROW, 'gh_1', card('Good.')).data).toMatch(/,"sequence":1}$/);
});

it('shows the summary of a completed interview, null without one, or ids alone when it is large', () => {
  expect(JSON.parse(completedFact(ROW, 'gh_1', card('Good.')).data).scorecard).toEqual({
    version: 2,
    overall: 3,
    recommendation: null,
    summary: 'Good.',
    link: null,
  });
  expect(JSON.parse(completedFact(ROW, 'gh_1', null).data).scorecard).toBeNull();
  expect(JSON.parse(completedFact(ROW, 'gh_1', card('x'.repeat(20_000))).data)).toEqual({ id: 'int_1', sequence: 1 });
});
