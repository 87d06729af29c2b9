import {
  faultIn,
  hasMember,
  jsonMembers,
  jsonMemberText,
  MAX_DEPTH,
  withLongNumbersAsText,
  NotJson,
  parseLossless,
} from '../../src/base/json-text.js';
import fc from '../support/properties.js';
import { long } from '../support/rounds.js';
import { patience } from '../support/speed.js';

describe('json text', () => {
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
});

describe('lossless json', () => {
  describe('JSON of other systems', () => {
    it.each<[string, unknown]>([
      ['{"id":554000000123456789}', { id: '554000000123456789' }],
      ['[ -554000000123456789 , 1]', ['-554000000123456789', 1]],
      ['{"id":123456789012345}', { id: 123456789012345 }],
      ['{"id":1234567890123456}', { id: '1234567890123456' }],
      ['{"a":"id: 554000000123456789, \\"554000000123456789"}', { a: 'id: 554000000123456789, "554000000123456789' }],
      ['{"a":0.1234567890123456789}', { a: 0.1234567890123456789 }],
      ['{"a":1234567890123456789.5}', { a: 1234567890123456789.5 }],
      ['{"a":1234567890123456e3}', { a: 1234567890123456e3 }],
      ['554000000123456789', '554000000123456789'],
      ['{"a\\\\":554000000123456789}', { 'a\\': '554000000123456789' }],
    ])('keeps every digit of %s', (text, value) => {
      expect(parseLossless(text)).toEqual(value);
      expect(parseLossless(Buffer.from(text))).toEqual(value);
    });

    it.each([
      '{1234567890123456:1}',
      '{1234567890123456 :1}',
      '[01234567890123456]',
      '0x1234567890123456',
      '[1 1234567890123456]',
      '"a"1234567890123456',
      '',
      '{"a":1}x',
      '<html>1234567890123456</html>',
      '['.repeat(40) + ']'.repeat(40),
      '{"a":1,"a":2}',
    ])('does not make JSON of %s', (text) => {
      expect(() => parseLossless(text)).toThrow(NotJson);
    });

    it('finds a number of any length at any place', () => {
      for (let before = 0; before < 40; before++) {
        for (const digits of [15, 16, 17, 31, 32, 33]) {
          const number = '1'.repeat(digits);
          const text = `{"${'n'.repeat(before)}":${number},"b":123456789012345}`;
          const expected = digits > 15 ? number : Number(number);
          expect(Object.values(parseLossless(text) as object)).toEqual([expected, 123456789012345]);
        }
      }
    });

    it('has nothing of the body in its error', () => {
      for (const text of ['{"ana@example.com":1,"ana@example.com":2}', '{"email":ana@example.com}']) {
        expect(() => parseLossless(text)).toThrow(
          expect.objectContaining({ message: expect.not.stringContaining('ana') }),
        );
      }
      expect(() => parseLossless(Buffer.from([0x22, 0xff, 0x22]))).toThrow('The body is not UTF-8.');
    });

    it('takes linear time', () => {
      const text = `[${'"\\\\\\"1234567890123456",1234567890123456,'.repeat(50_000)}1]`;
      const started = performance.now();
      expect((parseLossless(text) as unknown[]).length).toBe(100_001);
      expect(performance.now() - started).toBeLessThan(patience(2_000));
    });
  });
});
