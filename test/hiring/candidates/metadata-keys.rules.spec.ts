import { mergedMetadata, withOwnedKeys } from '../../../src/hiring/candidates/metadata-keys.rules.js';
import { readCandidateMetadata } from '../../../src/hiring/candidates/metadata.rules.js';

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
