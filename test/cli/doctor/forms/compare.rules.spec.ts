import { differences } from '../../../../src/cli/doctor/forms/compare.rules.js';

const fields = (expected: unknown, actual: unknown) => differences(expected, actual).map(({ field }) => field);

it.each<[string, unknown, unknown]>([
  ['members that were not sent', { a: 1 }, { a: 1, b: 2 }],
  ['another order of values', { e: [{ value: 'x' }, { value: 'y' }] }, { e: [{ value: 'y' }, { value: 'x' }] }],
  ['a value with further members', { e: [{ value: 'x' }] }, { e: [{ value: 'x', primary: false }] }],
  ['null, a missing member and an empty list', { a: null, b: '', c: [], d: { e: null } }, { a: '', c: null }],
  ['another spelling of a moment', { at: '2026-01-31T12:00:00Z' }, { at: '2026-01-31T13:00:00.000+01:00' }],
])('takes %s for equal', (_, expected, actual) => {
  expect(differences(expected, actual)).toEqual([]);
});

it.each<[string, unknown, unknown, string[]]>([
  ['another value', { a: 'x' }, { a: 'X' }, ['a']],
  ['a boolean as text', { active: true }, { active: 'true' }, ['active']],
  ['a missing part', { name: { familyName: 'x' } }, { name: {} }, ['name.familyName']],
  ['an attribute of an extension', { 'urn:x:User': { department: 'x' } }, {}, ['urn:x:User.department']],
  [
    'another value of the same type',
    { e: [{ type: 'work', value: 'x' }] },
    { e: [{ type: 'work', value: 'y' }] },
    ['e[0].value'],
  ],
  ['a missing value', { e: [{ type: 'work', value: 'x' }] }, { e: [] }, ['e[0]']],
  ['a further value', { e: [{ value: 'x' }] }, { e: [{ value: 'x' }, { value: 'y' }] }, ['e']],
  ['a value that should be empty', { title: '' }, { title: 'x' }, ['title']],
  ['a text in place of a list', { e: [{ value: 'x' }] }, { e: 'x' }, ['e']],
])('finds %s', (_, expected, actual, places) => {
  expect(fields(expected, actual)).toEqual(places);
});
