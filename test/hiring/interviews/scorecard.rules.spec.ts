import type { ScorecardContent } from '../../../src/hiring/interviews/interview.js';
import { scorecardProblems, versionOf } from '../../../src/hiring/interviews/scorecard.rules.js';

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
