import { resourceFindings } from '../../../../src/cli/doctor/forms/resource.rules.js';
import { USER } from './answers.js';

const fieldsOf = (changes: object) =>
  resourceFindings({ ...USER, ...changes }, 'User', 'GET /Users/u1', false).map(({ field }) => field);

it('finds nothing in a right user', () => {
  expect(fieldsOf({})).toEqual([]);
});

it.each<[string, object, string]>([
  ['no id', { id: undefined }, 'id'],
  ['a number as id', { id: 7 }, 'id'],
  ['a password', { password: 'secret' }, 'password'],
  ['no schemas', { schemas: undefined }, 'schemas'],
  ['an extension that schemas does not name', { 'urn:example:x': {} }, 'schemas'],
  ['no meta', { meta: undefined }, 'meta'],
  ['another resource type', { meta: { ...USER.meta, resourceType: 'Group' } }, 'meta.resourceType'],
  ['a date without a time', { meta: { ...USER.meta, created: '2026-01-31' } }, 'meta.created'],
  [
    'the location of another user',
    { meta: { ...USER.meta, location: 'https://bridge.example/Users/u2' } },
    'meta.location',
  ],
  ['a location without a host', { meta: { ...USER.meta, location: '/scim/v2/Users/u1' } }, 'meta.location'],
  ['active as a text', { active: 'true' }, 'active'],
  ['emails as an object', { emails: USER.emails[0] }, 'emails'],
  ['primary as a text', { emails: [{ value: 'a', primary: 'true' }] }, 'emails.primary'],
  ['two primary values', { emails: [{ primary: true }, { primary: true }] }, 'emails.primary'],
])('finds %s', (_, changes, field) => {
  expect(fieldsOf(changes)).toContain(field);
});

it('demands of a part of a user its id alone', () => {
  expect(resourceFindings({ id: 'u1' }, 'User', 'GET /Users?attributes=id', true)).toEqual([]);
});
