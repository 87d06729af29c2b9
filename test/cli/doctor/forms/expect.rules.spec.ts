import { isErrorOf, listHas, readsBack, statusIs } from '../../../../src/cli/doctor/forms/expect.rules.js';
import { answerOf, errorOf, LIST, USER } from './answers.js';

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
  expect(isErrorOf(answerOf(errorOf(409), { status: 409 }), 409, 'uniqueness')).toMatchObject([{ field: 'scimType' }]);
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
