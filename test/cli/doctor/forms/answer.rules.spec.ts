import { formFindings } from '../../../../src/cli/doctor/forms/answer.rules.js';
import type { Answer } from '../../../../src/cli/doctor/forms/finding.js';
import { answerOf, errorOf, LIST, USER } from './answers.js';

const LOCATION = { location: USER.meta.location };
const placesOf = (answer: Answer) => formFindings(answer).map(({ code, field }) => `${code} ${field}`);

it.each<[string, Answer]>([
  ['a user', answerOf(USER, { headers: { etag: 'W/"1"' } })],
  ['a created user', answerOf(USER, { method: 'POST', path: '/Users', status: 201, headers: LOCATION })],
  ['a list', answerOf(LIST, { path: '/Users?count=1' })],
  ['an empty list', answerOf({ ...LIST, totalResults: 0, itemsPerPage: 0, Resources: [] }, { path: '/Users' })],
  ['a total without records', answerOf({ ...LIST, itemsPerPage: 0, Resources: [] }, { path: '/Users?count=0' })],
  ['a part of a user', answerOf({ id: 'u1', schemas: USER.schemas }, { path: '/Users/u1?attributes=id' })],
  ['no body', answerOf(undefined, { method: 'DELETE', status: 204 })],
  ['an unchanged user', answerOf(undefined, { status: 304 })],
  ['an error', answerOf(errorOf(409, 'uniqueness'), { status: 409 })],
  ['a refused credential', answerOf(errorOf(401), { status: 401, headers: { 'www-authenticate': 'Bearer' } })],
])('finds nothing in %s', (_, answer) => {
  expect(formFindings(answer)).toEqual([]);
});

it.each<[string, Answer, string]>([
  [
    'a redirect',
    answerOf(undefined, { status: 302, headers: { location: 'https://elsewhere.example' } }),
    'redirected Location',
  ],
  ['another media type', answerOf(USER, { headers: { 'content-type': 'text/html' } }), 'media_type Content-Type'],
  ['a text', answerOf(undefined, { text: 'OK' }), 'not_json null'],
  ['an error without a body', answerOf(undefined, { status: 404 }), 'error_form null'],
  ['an error with a number', answerOf({ ...errorOf(404), status: 404 }, { status: 404 }), 'error_form status'],
  ['an error of another status', answerOf(errorOf(400), { status: 404 }), 'error_form status'],
  ['an error of another kind', answerOf({ ...errorOf(404), schemas: [] }, { status: 404 }), 'error_form schemas'],
  ['an unknown scimType', answerOf(errorOf(400, 'bad'), { status: 400 }), 'error_form scimType'],
  ['401 without a challenge', answerOf(errorOf(401), { status: 401 }), 'error_form WWW-Authenticate'],
  ['429 without a time', answerOf(errorOf(429), { status: 429 }), 'error_form Retry-After'],
  ['a total as text', answerOf({ ...LIST, totalResults: '1' }, { path: '/Users' }), 'list_form totalResults'],
  ['a total that is too small', answerOf({ ...LIST, totalResults: 0 }, { path: '/Users' }), 'list_form totalResults'],
  ['a start as text', answerOf({ ...LIST, startIndex: '1' }, { path: '/Users' }), 'list_form startIndex'],
  ['a page of another length', answerOf({ ...LIST, itemsPerPage: 100 }, { path: '/Users' }), 'list_form itemsPerPage'],
  ['a list of another kind', answerOf({ ...LIST, schemas: [] }, { path: '/Users' }), 'list_form schemas'],
  [
    'a listed user without id',
    answerOf({ ...LIST, Resources: [{ ...USER, id: undefined }] }, { path: '/Users' }),
    'resource_form id',
  ],
  ['another ETag', answerOf(USER, { headers: { etag: 'W/"2"' } }), 'etag_wrong ETag'],
  ['no Location', answerOf(USER, { method: 'POST', path: '/Users', status: 201 }), 'resource_form Location'],
])('finds %s', (_, answer, place) => {
  expect(placesOf(answer)).toContain(place);
});
