import {
  metadataProblem,
  metadataTextProblem,
  readCandidateMetadata,
} from '../../../src/hiring/candidates/metadata.rules.js';

it.each<[string, string | null]>([
  ['{}', null],
  ['{"constructor":1,"toString":{"valueOf":[]}}', null],
  ['null', 'must be an object'],
  ['[]', 'must be an object'],
  ['"text"', 'must be an object'],
  ['1', 'must be an object'],
  ['{"__proto__":1}', 'must hold no member "__proto__"'],
  ['{"a":[[{"b":{"__proto__":null}}]]}', 'must hold no member "__proto__"'],
  ['{"a":"__proto__"}', null],
])('%s: %s', (text, problem) => {
  expect(metadataProblem(JSON.parse(text))).toBe(problem);
});

it('counts bytes, not characters', () => {
  const text = (characters: number) => `{"a":"${'é'.repeat(characters)}"}`;
  expect(metadataTextProblem(text(8_188))).toBeNull();
  expect(metadataTextProblem(text(8_189))).toBe('must have at most 16384 bytes, and has 16386');
});

it.each<[string, string | null, string | null]>([
  ['{"job_opening_id":"gh_1","ats_priority":"high"}', 'gh_1', 'high'],
  ['{"job_opening_id":4711}', '4711', null],
  ['{"job_opening_id":480912000000987654}', '480912000000987654', null],
  ['{"a":{"job_opening_id":1},"job_opening_id":12345678901234567890}', '12345678901234567890', null],
  ['{"job_opening_id":1.5,"ats_priority":7}', null, null],
  ['{"job_opening_id":4e3}', null, null],
  ['{"job_opening_id":"","ats_priority":["high"]}', null, null],
  ['{"job_opening_id":"a\\u0000b","ats_priority":"\\ud800"}', null, null],
  [`{"job_opening_id":"${'x'.repeat(256)}","ats_priority":"${'x'.repeat(255)}"}`, null, 'x'.repeat(255)],
  ['{}', null, null],
])('reads %s', (text, openingId, priority) => {
  expect(readCandidateMetadata(text, JSON.parse(text) as object)).toEqual({ text, openingId, priority });
});
