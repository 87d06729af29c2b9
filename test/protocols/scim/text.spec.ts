import fc from '../../support/properties.js';
import {
  compareCodePoints,
  foldCase,
  isStorable,
  parseDateTime,
  userNameKey,
} from '../../../src/protocols/scim/text.js';

const text = fc.string({ unit: 'binary', maxLength: 20 });

describe('foldCase', () => {
  it.each([
    ['BJensen', 'bjensen'],
    ['ÄÖÜẞ', 'äöüß'],
    ['ΟΔΥΣΣΕΥΣ', 'οδυσσευσ'],
    ['İstanbul', 'istanbul'],
    ['ﬁ', 'ﬁ'],
    ['𐐀', '𐐨'],
    ['', ''],
  ])('%s → %s', (given, folded) => {
    expect(foldCase(given)).toBe(folded);
  });

  it('maps every code point alone', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(foldCase(a + b)).toBe(foldCase(a) + foldCase(b));
      }),
    );
  });

  it('keeps the number of code points', () => {
    fc.assert(fc.property(text, (a) => expect([...foldCase(a)]).toHaveLength([...a].length)));
  });
});

describe('userNameKey (RFC 7644 §5)', () => {
  it.each([
    ['full-width letters', 'ＢＪＥＮＳＥＮ', 'bjensen'],
    ['composed and decomposed', 'Zoe\u0308', 'zo\u00eb'],
    ['case', 'Zo\u00cb@Example.COM', 'zo\u00eb@example.com'],
    ['blanks around it', ' bjensen\t', 'bjensen'],
    ['several blanks between words', 'Barbara\u3000 \u00a0Jensen', 'barbara jensen'],
    ['zero-width characters', 'b\u200bj\ufeffensen\u2060', 'bjensen'],
    ['a soft hyphen and a directional mark', 'bj\u00adensen\u202e', 'bjensen'],
    ['a joiner between a letter and its mark', 'Zoe\u200d\u0308', 'zo\u00eb'],
    ['characters beyond the first plane', 'bjensen\u{e0061}', 'bjensen'],
    ['nothing else', '\u200b \u200d', ''],
  ])('%s', (_, given, key) => {
    expect(userNameKey(given)).toBe(key);
  });

  it('is the key of its own result', () => {
    fc.assert(fc.property(text, (a) => expect(userNameKey(userNameKey(a))).toBe(userNameKey(a))));
  });
});

describe('compareCodePoints', () => {
  it('orders as UTF-8 bytes do', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const expected = Math.sign(Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8')));
        expect(Math.sign(compareCodePoints(a, b))).toBe(expected);
      }),
    );
  });

  it('puts an emoji after U+FF21, where UTF-16 units would not', () => {
    expect(compareCodePoints('😀', 'Ａ')).toBeGreaterThan(0);
    expect('😀' < 'Ａ').toBe(true);
  });
});

describe('parseDateTime', () => {
  it.each([
    ['2011-05-13T04:42:34Z', 1305261754000],
    ['2011-05-13T04:42:34', 1305261754000],
    ['2011-05-13T06:42:34.5+02:00', 1305261754500],
    ['2024-02-29T00:00:00Z', 1709164800000],
    ['2023-02-29T00:00:00Z', Number.NaN],
    ['2023-13-01T00:00:00Z', Number.NaN],
    ['2023-01-01', Number.NaN],
    ['2023-01-01T25:00:00Z', Number.NaN],
    ['yesterday', Number.NaN],
    ['', Number.NaN],
  ])('%s', (given, time) => {
    expect(parseDateTime(given)).toBe(time);
  });
});

describe('limits', () => {
  it.each([
    ['plain', true],
    ['', true],
    ['😀', true],
    ['a\u0000b', false],
    ['\ud83d', false],
    ['\ude00', false],
  ])('%j can be stored: %s', (given, storable) => {
    expect(isStorable(given)).toBe(storable);
  });
});
