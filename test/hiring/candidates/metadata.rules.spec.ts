import { newCandidate } from '../../../src/hiring/candidates/candidate.rules.js';
import {
  metadataProblem,
  metadataTextProblem,
  readCandidateMetadata,
  mergedMetadata,
  withOwnedKeys,
  managedChange,
} from '../../../src/hiring/candidates/metadata.rules.js';

describe('metadata', () => {
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
});

describe('metadata keys', () => {
  describe('mergedMetadata', () => {
    it('recognises metadata that the ATS repeats and no other writer changed', () => {
      const values = { ats: 'x', stage: null, source: 'a "b"' };
      const { text, keys } = mergedMetadata('{}', [], values);
      expect(mergedMetadata(text, keys, values)).toEqual({ text, keys, isWhole: true });
      expect(mergedMetadata(text, [...keys, 'stage'], values)).toEqual({ text, keys, isWhole: false });
      expect(mergedMetadata(text.replace('{', '{ '), keys, values)).toEqual({
        text: text.replace('{', '{ '),
        keys,
        isWhole: false,
      });
    });

    it('keeps the text of others letter for letter', () => {
      const before = '{ "n" : 1.0, "ats":"x" ,"\\u0061b":[1, 2]}';
      const { text, keys } = mergedMetadata(before, ['ats'], { ats: 'y', stage: 'Offer' });
      expect([text, keys]).toEqual(['{"n" : 1.0,"ats":"y","\\u0061b":[1, 2],"stage":"Offer"}', ['ats', 'stage']]);
    });

    it('keeps the whole text when nothing changes', () => {
      const before = '{ "ats" : "x" }';
      expect(mergedMetadata(before, [], { ats: 'x', none: null }).text).toBe(before);
    });

    it('removes a key of its own, and no other', () => {
      const { text, keys } = mergedMetadata('{"a":"1","b":"2"}', ['a'], { a: null, b: null });
      expect([text, keys]).toEqual(['{"b":"2"}', []]);
    });

    it('never adds a member that changes prototypes', () => {
      expect(mergedMetadata('{}', [], JSON.parse('{"__proto__":"x"}') as Record<string, string>).text).toBe('{}');
    });
  });

  describe('withOwnedKeys', () => {
    const sent = (text: string) => readCandidateMetadata(text, JSON.parse(text) as object);

    it('adds keys that the caller left out, and reads them', () => {
      const before = '{"ats":"lever","job_opening_id":"lv_1","own":1}';
      const { metadata, wrong } = withOwnedKeys(before, ['ats', 'job_opening_id'], sent('{"own":2}'));
      expect([metadata.text, metadata.openingId, wrong]).toEqual([
        '{"own":2,"ats":"lever","job_opening_id":"lv_1"}',
        'lv_1',
        [],
      ]);
    });

    it('names the keys that would change, and takes equal values in another spelling', () => {
      const { metadata, wrong } = withOwnedKeys('{"a":"é","b":"2"}', ['a', 'b'], sent('{"a":"\\u00e9","b":3}'));
      expect([metadata.text, wrong]).toEqual(['{"a":"\\u00e9","b":3}', ['b']]);
    });
  });
});

describe('managed', () => {
  const metadata = (value: object) => readCandidateMetadata(JSON.stringify(value), value);
  const BEFORE = {
    ...newCandidate(
      {
        email: 'ana@example.com',
        first_name: 'Ana',
        last_name: 'Cruz',
        external_id: 'gh_7',
        metadata: metadata({ ats: 'greenhouse', note: 'ours' }),
      },
      'cand_1',
      new Date(0),
    ).row,
    ats_connection_id: 'ats_1',
    ats_keys: ['ats'],
  };

  test('names the fields of the ATS that a change would set', () => {
    const { wrong } = managedChange(BEFORE, { email: 'other@example.com', first_name: 'Ana', job_title: 'Cook' });
    expect(wrong).toEqual(['email', 'job_title']);
  });

  test('sees no change when a value is sent back unchanged', () => {
    const { email, first_name, last_name, external_id } = BEFORE;
    expect(managedChange(BEFORE, { email, first_name, last_name, external_id }).wrong).toEqual([]);
  });

  test('keeps the keys of the ATS when the metadata leaves them out', () => {
    const { change, wrong } = managedChange(BEFORE, { metadata: metadata({ note: 'new' }) });
    expect(JSON.parse(change.metadata!.text)).toEqual({ ats: 'greenhouse', note: 'new' });
    expect(wrong).toEqual([]);
  });

  test('names the key of the ATS when the metadata changes it', () => {
    expect(managedChange(BEFORE, { metadata: metadata({ ats: 'lever' }) }).wrong).toEqual(['metadata.ats']);
  });
});
