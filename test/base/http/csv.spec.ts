import { csvLine } from '../../../src/base/http/csv.js';

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
  [{ a: 1 }, '"{""a"":1}"'],
])('%j', (value, cell) => {
  expect(csvLine([value, 'x'])).toBe(`${cell},x\r\n`);
});
