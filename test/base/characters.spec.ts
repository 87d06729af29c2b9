import { cutTo, isLongerThan } from '../../src/base/characters.js';

describe('characters', () => {
  it.each([
    ['abc', 3, false],
    ['abcd', 3, true],
    ['😀😀😀', 3, false],
    ['😀😀😀😀', 3, true],
  ])('%s has more than %i characters: %s', (given, max, longer) => {
    expect(isLongerThan(given, max)).toBe(longer);
  });

  it.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'abc'],
    ['😀😀😀', 2, '😀😀'],
    ['a😀', 1, 'a'],
    ['', 0, ''],
  ])('%s cut to %i is %s', (given, max, cut) => {
    expect(cutTo(given, max)).toBe(cut);
  });
});
