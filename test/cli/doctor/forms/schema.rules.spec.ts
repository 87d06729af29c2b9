import { declaredIn, undeclared } from '../../../../src/cli/doctor/forms/schema.rules.js';
import { ENTERPRISE_URN, USER_URN } from '../../../../src/protocols/scim/urns.js';
import { answerOf } from './answers.js';

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
