import { isErrorOf, listHas, readsBack, statusIs, differences } from '../../../../src/cli/doctor/forms/expect.rules.js';
import { answerOf, errorOf, LIST, USER } from './answers.js';

describe('expect', () => {
  it('finds another status, with the detail of the service', () => {
    expect(statusIs(answerOf(USER), 200, 204)).toEqual([]);
    expect(statusIs(answerOf(errorOf(400), { status: 400 }), 200)).toMatchObject([
      { code: 'status', message: 'GET /Users/u1 is answered 400, not 200: why' },
    ]);
  });

  it('finds another error', () => {
    const duplicate = answerOf(errorOf(409, 'uniqueness'), { status: 409 });
    expect(isErrorOf(duplicate, 409, 'uniqueness')).toEqual([]);
    expect(isErrorOf(duplicate, 404)).toMatchObject([{ code: 'status' }]);
    expect(isErrorOf(answerOf(errorOf(409), { status: 409 }), 409, 'uniqueness')).toMatchObject([
      { field: 'scimType' },
    ]);
  });

  it('finds attributes that are not what was sent, also where there is no record', () => {
    expect(readsBack(answerOf(USER), { userName: USER.userName })).toEqual([]);
    expect(readsBack(answerOf(USER), { userName: 'other' })).toMatchObject([
      { code: 'value_differs', field: 'userName' },
    ]);
    expect(readsBack(answerOf(undefined), { userName: 'other' })).toMatchObject([{ field: 'userName' }]);
  });

  it('finds a list that lacks a record, or has others', () => {
    expect(listHas(answerOf(LIST), ['u1'])).toEqual([]);
    expect(listHas(answerOf(LIST), [])).toMatchObject([{ code: 'filter_result', field: 'totalResults' }]);
    expect(listHas(answerOf(LIST), ['u2'])).toMatchObject([{ code: 'filter_result', field: 'Resources' }]);
    expect(listHas(answerOf(errorOf(404), { status: 404 }), [])).toMatchObject([{ code: 'status' }]);
  });
});

describe('compare', () => {
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
});
