import {
  faultIn,
  hasMember,
  jsonMembers,
  jsonMemberText,
  MAX_DEPTH,
  withLongNumbersAsText,
} from '../../src/base/json-text.js';
import fc from '../support/properties.js';
import { long } from '../support/rounds.js';

describe('faultIn', () => {
  it.each([
    ['{"a":1,"a":2}', 'a'],
    ['[{"x":{"b":1,"c":2,"b":3}}]', 'b'],
    ['{"a":1,"\\u0061":2}', 'a'],
    ['{"a":{"b":1},"c":[{}],"a":null}', 'a'],
    ['{"":1,"":2}', ''],
    ['[{"b":{"a":1,"\\u0061":2}}]', 'a'],
    ['{"__proto__":1,"__proto__":2}', '__proto__'],
    ['{"é":1,"é":2}', 'é'],
    ['{"a\\"b":1,"a\\"b":2}', 'a"b'],
    [`{${Array.from({ length: 40 }, (_, i) => `"k${i}":0`).join(',')},"k7":0}`, 'k7'],
  ])('names a member that comes twice: %s', (text, name) => {
    expect(faultIn(text)).toBe(`The body names "${name}" twice in one object.`);
  });

  it.each([
    '{"a":{"a":{"a":1}}}',
    '[{"a":1},{"a":2}]',
    '{"a":"a","b":"a"}',
    '{"a":["a","a","b"],"b":["b"]}',
    '{"a":"{\\"a\\":1,\\"a\\":2}"}',
    '{"a":1,"A":2}',
    '{"a":{"b":[{"c":1},{"c":2}],"d":"x,\\"y\\":{"},"e":","}',
    ' { "a" : "\\\\" , "b" : [ ] } ',
    '"a","a"',
    '{"a":1',
    '{"a',
    '}}]]',
  ])('takes %s', (text) => {
    expect(faultIn(text)).toBeNull();
  });

  it('counts levels of objects and arrays', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(faultIn(nested(MAX_DEPTH))).toBeNull();
    expect(faultIn(nested(MAX_DEPTH + 1))).toContain('32 deep');
    expect(faultIn(`{"a":"${'['.repeat(100)}"}`)).toBeNull();
  });

  it('finds no fault in the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
        expect(faultIn(JSON.stringify(value))).toBeNull();
      }),
    );
  });
});

describe('jsonMemberText', () => {
  it.each([
    ['{"m":1}', '1'],
    ['{"m":1.0,"n":2}', '1.0'],
    ['{"n":{"m":1},"m":{"m":2}}', '{"m":2}'],
    ['{"n":["m",{"m":1}],"m":[1,[2],{"a":"]"}]}', '[1,[2],{"a":"]"}]'],
    ['{"n":"\\"m\\":1","m":"a\\"}b"}', '"a\\"}b"'],
    ['{ "m" \n:\t { "a" : 1 } \r\n , "n":1}', '{ "a" : 1 }'],
    ['{"m":null }', 'null'],
    ['{"\\u006d":true}', 'true'],
    ['\ufeff{"m":{"🦊":"é"}}', '{"🦊":"é"}'],
    ['{"m":{}}', '{}'],
    ['{"x":"m","m":"y"}', '"y"'],
    ['{"n":1}', null],
    ['{}', null],
    ['{"n":{"m":1}}', null],
  ])('%s: %s', (body, expected) => {
    expect(jsonMemberText(body, 'm')).toBe(expected);
  });

  long('finds the text of every member in the output of JSON.stringify', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), fc.nat(3), (value, indent) => {
        const body = JSON.stringify(value, null, indent);
        for (const [name, member] of Object.entries(value)) {
          const text = jsonMemberText(body, name);
          expect(text).not.toBeNull();
          expect(body).toContain(text);
          expect(JSON.parse(text!)).toEqual(JSON.parse(JSON.stringify(member)));
        }
      }),
    );
  });
});

it('returns the members in their order, each in the text of its sender', () => {
  expect(jsonMembers(' { "2" : 1.0 , "1":[ "a" ]}')).toEqual([
    { name: '2', value: '1.0', whole: '"2" : 1.0' },
    { name: '1', value: '[ "a" ]', whole: '"1":[ "a" ]' },
  ]);
  expect(jsonMembers('{}')).toEqual([]);
});

it.each([
  ['[1234567890123456,-1234567890123456]', '["1234567890123456","-1234567890123456"]'],
  ['{"a" : 1234567890123456 }', '{"a" : "1234567890123456" }'],
  ['[123456789012345,1234567890.12345678,1234567890123456e1]', null],
  ['["1234567890123456", 0123456789012345678]', null],
  ['{1234567890123456789:1}', null],
])('quotes whole numbers of more than 15 digits: %s', (text, expected) => {
  expect(withLongNumbersAsText(text)).toBe(expected ?? text);
});

it('finds a member at any depth', () => {
  const value = JSON.parse('{"a":[{"b":{"__proto__":1}}]}') as unknown;
  expect(hasMember(value, '__proto__')).toBe(true);
  expect(hasMember(value, 'constructor')).toBe(false);
});
