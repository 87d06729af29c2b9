import { NotJson, parseLossless } from '../../../src/base/http/lossless-json.js';
import { patience } from '../../support/speed.js';

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
