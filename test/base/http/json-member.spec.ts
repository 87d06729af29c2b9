import fc from 'fast-check';
import { jsonMemberText } from '../../../src/base/http/json-member.js';

const textOf = (body: string, name = 'm') => jsonMemberText(Buffer.from(body), name);

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
  expect(textOf(body)).toBe(expected);
});

it('finds the text of every member in the output of JSON.stringify', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), fc.nat(3), (value, indent) => {
      const body = JSON.stringify(value, null, indent);
      for (const [name, member] of Object.entries(value)) {
        const text = textOf(body, name);
        expect(text).not.toBeNull();
        expect(body).toContain(text);
        expect(JSON.parse(text!)).toEqual(JSON.parse(JSON.stringify(member)));
      }
    }),
  );
});
