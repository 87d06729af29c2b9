import { csvLine } from '../../../src/base/http/export.js';

it.each<[unknown, string]>([
  ['plain', 'plain'],
  [null, ''],
  [undefined, ''],
  [-5, '-5'],
  [true, 'true'],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['+49', "'+49"],
  ['-x', "'-x"],
  ['@x', "'@x"],
  ['=a,b', '"\'=a,b"'],
  ['a;=1', '"a;=1"'],
  ['a\t=1', '"a\t=1"'],
  ['a|=1', '"a|=1"'],
  [' =1', "' =1"],
  ['\u00a0=1', "'\u00a0=1"],
  ['\u200b+1', "'\u200b+1"],
  ['\uff1d1', "'\uff1d1"],
  ['\uff0b1', "'\uff0b1"],
  ['\uff0d1', "'\uff0d1"],
  ['\uff201', "'\uff201"],
  ['a ', '"a "'],
  [{ a: 1 }, '"{""a"":1}"'],
])('%j', (value, cell) => {
  expect(csvLine([value, 'x'])).toBe(`${cell},x\r\n`);
});
