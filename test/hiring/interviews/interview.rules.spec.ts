import { readyMeeting } from '../../../src/hiring/interviews/meeting.rules.js';
import type { InterviewRow } from '../../../src/hiring/interviews/interview.js';
import {
  changedInterview,
  interviewersProblem,
  newInterview,
  timeProblems,
  timeZoneProblem,
} from '../../../src/hiring/interviews/interview.rules.js';

const at = (text: string) => new Date(text);
const START = at('2026-03-05T13:00:00Z');
const NOW = at('2026-03-01T00:00:00Z');
const ROW: InterviewRow = newInterview(
  { starts_at: START, ends_at: at('2026-03-05T14:00:00Z'), interviewers: ['Ada'] },
  {
    id: 'int_1',
    candidateId: 'cand_1',
    jobId: null,
    meeting: readyMeeting('https://x.example/i/int_1', 'caller'),
    at: NOW,
  },
);

it.each([
  ['2026-03-05T13:00:00Z', 1],
  ['2026-03-05T13:00:01Z', 0],
  ['2026-03-06T13:00:00Z', 0],
  ['2026-03-06T13:00:01Z', 1],
  ['2026-03-05T12:00:00Z', 1],
])('an end at %s has %i problems', (end, problems) => {
  expect(timeProblems({ starts_at: START, ends_at: at(end) })).toHaveLength(problems);
});

it.each([
  ['Europe/Zurich', true],
  ['UTC', true],
  ['America/Argentina/Buenos_Aires', true],
  ['+02:00', false],
  ['Mars/Olympus', false],
  ['', false],
  [3, false],
])('%j is a time zone: %s', (zone, known) => {
  expect(timeZoneProblem(zone) === null).toBe(known);
});

it.each([
  [[], true],
  [['Ada Lovelace <ada@example.com>', 'bob@example.com'], true],
  ['Ada', false],
  [[''], false],
  [['a', 'a'], false],
  [['a\n'], false],
  [['x'.repeat(321)], false],
  [Array.from({ length: 21 }, (_, n) => `${n}`), false],
])('interviewers %j: %s', (value, right) => {
  expect(interviewersProblem(value) === null).toBe(right);
});

it.each([
  [{}, [], false],
  [{ starts_at: START, interviewers: ['Ada'], job_id: null }, [], false],
  [{ starts_at: at('2026-03-05T13:30:00Z') }, ['starts_at'], false],
  [{ time_zone: 'UTC', interviewers: [] }, ['time_zone', 'interviewers'], false],
  [{ state: 'scheduled' as const }, [], false],
  [{ state: 'cancelled' as const, job_id: 'job_1' }, ['job_id'], true],
])('the change %j replans %j; moves: %s', (change, replanned, moved) => {
  const result = changedInterview(ROW, change, NOW);
  expect([result.replanned, result.moved]).toEqual([replanned, moved]);
  expect(result.after.sequence).toBe(ROW.sequence + 1);
});
