import { sameLetters } from '../../../../src/auth/sign-in/accounts/letters.rules.js';

it.each([
  ['Ada', 'aDA', true],
  ['ada', 'ada ', false],
  ['Ä', 'ä', true],
  ['Zoe\u0308', 'ZO\u00cb', true],
  ['\u0130a', 'ia', false],
  ['\u212b', '\u00e5', false],
  ['K', '\u212a', false],
])('compares %j and %j: %s', (a, b, expected) => {
  expect(sameLetters(a, b)).toBe(expected);
});
