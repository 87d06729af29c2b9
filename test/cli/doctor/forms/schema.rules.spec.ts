import { declaredIn, undeclared, resourceFindings } from '../../../../src/cli/doctor/forms/schema.rules.js';
import { ENTERPRISE_URN, USER_URN } from '../../../../src/protocols/scim/urns.js';
import { answerOf, USER } from './answers.js';

describe('schema', () => {
  const attribute = (name: string, more: object = {}) => ({ name, type: 'string', multiValued: false, ...more });
  const SCHEMAS = answerOf(
    {
      Resources: [
        {
          id: USER_URN,
          attributes: [
            attribute('userName', { required: true }),
            attribute('emails', {
              type: 'complex',
              multiValued: true,
              subAttributes: [attribute('value'), attribute('type')],
            }),
            attribute('groups', { type: 'complex', mutability: 'readOnly', subAttributes: [attribute('value')] }),
          ],
        },
        { id: ENTERPRISE_URN, attributes: [attribute('department')] },
        { id: 'urn:example:other', attributes: [attribute('size')] },
      ],
    },
    { path: '/Schemas' },
  );
  const declared = declaredIn(SCHEMAS, 'User');

  it('reads the attributes of the own schema and of its extensions, with their parts', () => {
    expect(declared.map(({ names }) => names.join('.'))).toEqual([
    'userName', 'emails', 'emails.value', 'emails.type', 'groups', 'groups.value', 'department',
  ]); // prettier-ignore
    expect(declared[0]).toMatchObject({
      schema: USER_URN,
      isRequired: true,
      isMultiValued: false,
      mutability: 'readWrite',
    });
    expect(declared[2]).toMatchObject({ isMultiValued: true });
    expect(declared[5]).toMatchObject({ mutability: 'readOnly' });
    expect(declaredIn(SCHEMAS, 'Group')).toEqual([]);
  });

  it('names attributes that are not declared, without regard to case', () => {
    const record = {
    id: 'u1', externalId: 'x', USERNAME: 'ann', title: 'x', emails: [{ value: 'a', display: 'b' }], [ENTERPRISE_URN]: { department: 'x', division: 'y' },
  }; // prettier-ignore
    expect(undeclared(record, declared, 'User')).toEqual(['title', 'emails.display', `${ENTERPRISE_URN}:division`]);
  });
});

describe('resource', () => {
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
});
