import { linkText, scorecardText } from '../../../../src/integrations/ats/publish/write-planner.js';
import { linkMarker, scorecardMarker } from '../../../../src/integrations/ats/publish/write.js';

const marker = scorecardMarker('int_1', 2);
const card = (more: object = {}) => ({
  interview_id: 'int_1',
  version: 2,
  created_at: new Date(0),
  content: {
    overall: 4.2,
    recommendation: 'advance',
    summary: 'Solid.',
    criteria: [{ name: 'Design', score: 4, scale: { min: 1, max: 5 }, evidence: 'Measured it.' }],
    link: 'https://x.example/s',
    ...more,
  },
});

it('names the replaced revision, and ends with its marker', () => {
  expect(scorecardText(card(), { marker, replaces: 1 })).toBe(
    [
      'Interview scorecard, revision 2',
      'Replaces revision 1 of this scorecard.',
      'Recommendation: advance',
      'Overall: 4.2',
      '',
      'Solid.',
      '',
      '- Design: 4 (1 to 5). Measured it.',
      '',
      'Full scorecard: https://x.example/s',
      '',
      '[talent-bridge int_1 scorecard r2]',
    ].join('\n'),
  );
});

it('leaves out missing fields', () => {
  const empty = card({ overall: null, recommendation: 'no', summary: null, criteria: [], link: null });
  expect(scorecardText(empty, { marker, replaces: null })).toBe(
    `Interview scorecard, revision 2\nRecommendation: no\n\n${marker}`,
  );
});

it('quotes no marker, by which another note would be found', () => {
  const other = scorecardMarker('int_1', 3);
  const quoting = {
    recommendation: other,
    summary: `see ${other}`,
    criteria: [{ ...card().content.criteria[0]!, evidence: other }],
  };
  const text = scorecardText(card(quoting), { marker, replaces: null });
  expect(text).not.toContain(other);
  expect(text).toContain('see (talent-bridge int_1 scorecard r3]');
  expect(text.endsWith(marker)).toBe(true);
});

it('cuts the text, and never link or marker', () => {
  const text = scorecardText(
    card({ summary: 'x'.repeat(8_000), criteria: Array(50).fill(card().content.criteria[0]) }),
    {
      marker,
      replaces: null,
    },
  );
  expect(text.length).toBeLessThan(10_000);
  expect(text).toContain(' …\n\nFull scorecard');
  expect(text.endsWith(marker)).toBe(true);
});

it.each([
  ['link', 'https://x.example/i/1'],
  ['field', 'https://x.example/i/1'],
  ['note', 'Interview: https://x.example/i/1\n\n[talent-bridge int_1 link]'],
] as const)('a link as %s is %s', (target, text) => {
  expect(linkText(target, 'https://x.example/i/1', linkMarker('int_1'))).toBe(text);
});
