import { countMemberNames, namesOf } from '../../../src/base/http/json-names.js';

describe('namesIn and namesOf', () => {
  it.each([
    ['{}', 0],
    ['[1,"a",null,[{"a":1}]]', 1],
    ['{"a":{"b":[{"c":1},{"c":2}],"d":"x,\\"y\\":{"},"e":","}', 6],
    ['"{\\"a\\":1}"', 0],
    ['{"__proto__":{"a":1}}', 2],
    [' { "a" : "\\\\" , "b" : [ ] } ', 2],
  ])('agree about JSON without a repeated name: %s', (text, count) => {
    expect(countMemberNames(text)).toBe(count);
    expect(namesOf(JSON.parse(text))).toBe(count);
  });

  it.each(['{"a":1,"a":2}', '[{"b":{"a":1,"\\u0061":2}}]', '{"__proto__":1,"__proto__":2}'])(
    'differ where an object names a member twice: %s',
    (text) => {
      expect(countMemberNames(text)).toBe(namesOf(JSON.parse(text)) + 1);
    },
  );

  it('counts to the depth that is allowed', () => {
    expect(countMemberNames('['.repeat(32) + ']'.repeat(32))).toBe(0);
    expect(countMemberNames('['.repeat(33) + ']'.repeat(33))).toBeNull();
  });
});
