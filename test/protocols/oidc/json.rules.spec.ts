import { isIdpObject, readObject, shorten, withoutNulls } from '../../../src/protocols/oidc/json.rules.js';

const nested = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;

it.each([
  ['an object', '{"a":[1,{"b":null}]}', { a: [1, { b: null }] }],
  ['20 levels', nested(20), JSON.parse(nested(20))],
  ['21 levels and more', nested(22), null],
  ['a list', '[1]', null],
  ['a text', '"a"', null],
  ['no JSON', '{', null],
  ['NUL in a value', '{"a":"\\u0000"}', null],
  ['NUL in a name', '{"\\u0000":1}', null],
  ['half of a surrogate pair', '{"a":["\\ud800"]}', null],
])('reads %s', (_what, text, expected) => {
  expect(readObject(text)).toEqual(expected);
});

it('distinguishes objects from lists and null', () => {
  expect([{}, [], null, 'a', undefined].map(isIdpObject)).toEqual([true, false, false, false, false]);
});

it('drops members that are null, and leaves nested ones', () => {
  expect(withoutNulls({ a: null, b: { c: null }, d: false })).toEqual({ b: { c: null }, d: false });
});

it.each([
  ['cuts a long text', 'abcdef', 3, 'abc…'],
  ['removes mark-up and control characters', '<b>\n"x"&\\', 20, 'bx'],
  ['keeps printable text', 'login required (max_age)', 60, 'login required (max_age)'],
])('%s', (_what, text, length, expected) => {
  expect(shorten(text, length)).toBe(expected);
});
