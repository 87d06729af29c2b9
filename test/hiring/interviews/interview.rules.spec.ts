import {
  type InterviewRow,
  INTERVIEW_STATES,
  type ScorecardContent,
} from '../../../src/hiring/interviews/interview.js';
import {
  changedInterview,
  interviewersProblem,
  newInterview,
  timeProblems,
  timeZoneProblem,
  mayMove,
  movesFrom,
  takesScorecard,
  scorecardProblems,
  versionOf,
} from '../../../src/hiring/interviews/interview.rules.js';
import { readyMeeting } from '../../../src/hiring/interviews/meeting.rules.js';

describe('interview', () => {
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
});

describe('interview state', () => {
  it.each([
    ['scheduled', ['in_progress', 'cancelled', 'no_show'], true],
    ['in_progress', ['completed', 'cancelled', 'no_show'], true],
    ['completed', [], true],
    ['cancelled', [], false],
    ['no_show', [], false],
  ] as const)('%s moves to %j; takes a scorecard: %s', (state, moves, scored) => {
    expect(movesFrom(state)).toEqual(moves);
    expect(INTERVIEW_STATES.filter((to) => mayMove(state, to)).sort()).toEqual([state, ...moves].sort());
    expect(takesScorecard(state)).toBe(scored);
  });
});

describe('scorecard', () => {
  const EMPTY: ScorecardContent = { overall: null, recommendation: null, summary: null, criteria: [], link: null };
  const CARD: ScorecardContent = { ...EMPTY, overall: 3 };
  const line = (score: number | null, scale: { min: number; max: number } | null) => ({
    ...EMPTY,
    criteria: [{ name: 'Design', score, scale, evidence: null }],
  });

  it.each([
    [EMPTY, ['overall']],
    [{ ...EMPTY, link: 'https://x.example' }, ['overall']],
    [CARD, []],
    [line(null, null), []],
    [line(4, { min: 1, max: 5 }), []],
    [line(1, { min: 1, max: 5 }), []],
    [line(5.1, { min: 1, max: 5 }), ['criteria.0.score']],
    [line(3, null), ['criteria.0.scale']],
    [line(null, { min: 5, max: 1 }), ['criteria.0.scale.max']],
    [{ ...CARD, summary: 'x'.repeat(64 * 1024) }, ['criteria']],
  ])('finds the problems of %#', (content, fields) => {
    expect(scorecardProblems(content).map(({ field }) => field)).toEqual(fields);
  });

  it.each([
    [null, undefined, { kind: 'new', version: 1 }],
    [1, undefined, { kind: 'new', version: 1 }],
    [2, undefined, { kind: 'conflict', next: 1 }],
    [null, { version: 3, content: CARD }, { kind: 'same' }],
    [3, { version: 3, content: CARD }, { kind: 'same' }],
    [4, { version: 3, content: CARD }, { kind: 'new', version: 4 }],
    [null, { version: 3, content: EMPTY }, { kind: 'new', version: 4 }],
    [3, { version: 3, content: EMPTY }, { kind: 'conflict', next: 4 }],
    [5, { version: 3, content: CARD }, { kind: 'conflict', next: 4 }],
  ] as const)('compares version %j with %j: %j', (version, newest, verdict) => {
    expect(versionOf(CARD, version, newest)).toEqual(verdict);
  });
});
