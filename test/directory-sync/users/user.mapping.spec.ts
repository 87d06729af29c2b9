import type { AttributeMap } from '../../../src/directory-sync/directories/directory.js';
import {
  draftOf,
  emailAddress,
  emailKey,
  withFields,
  type UserDocument,
} from '../../../src/directory-sync/users/user.mapping.js';
import { ENTERPRISE_URN } from '../../../src/protocols/scim/urns.js';

const doc = (more: UserDocument = {}): UserDocument => ({ schemas: [], userName: 'bjensen', active: true, ...more });

describe('the e-mail of a person', () => {
  it.each<[string, UserDocument, string | null]>([
    [
      'the primary one',
      {
        emails: [
          { value: 'a@x.example', type: 'work' },
          { value: 'b@x.example', primary: true },
        ],
      },
      'b@x.example',
    ],
    [
      'else the work one',
      {
        emails: [
          { value: 'a@x.example', type: 'home' },
          { value: 'b@x.example', type: 'WORK' },
        ],
      },
      'b@x.example',
    ],
    ['else the first', { emails: [{ value: 'a@x.example', type: 'home' }, { value: 'b@x.example' }] }, 'a@x.example'],
    ['else a user name that is one', { userName: 'bj@x.example' }, 'bj@x.example'],
    ['none', {}, null],
    [
      'what is no address is passed over',
      { emails: [{ value: 'nonsense', primary: true }, { value: 'b@x.example' }] },
      'b@x.example',
    ],
    ['as written, but for blanks around it', { emails: [{ value: ' Bj@X.example ' }] }, 'Bj@X.example'],
    ['a value that is none', { emails: [{ type: 'work' }, { value: 'b@x.example' }] }, 'b@x.example'],
    ['longer than 320', { emails: [{ value: `${'x'.repeat(320)}@x.example` }] }, null],
  ])('%s', (_, more, expected) => {
    expect(draftOf(doc(more)).email).toBe(expected);
  });

  it.each([
    ['a@b', 'a@b'],
    ['@b', null],
    ['a@', null],
    ['a b@c', null],
    ['', null],
    [7, null],
    ['a@b@c', 'a@b@c'],
  ])('%j is %j', (value, expected) => {
    expect(emailAddress(value)).toBe(expected);
  });

  it('has one key for two spellings of one address', () => {
    expect(emailKey(' Zoe\u0308@X.Example ')).toBe(emailKey('zoë@x.example'));
  });
});

describe('the attribute of each field', () => {
  const whole = doc({
    externalId: 'EXT',
    nickName: 'Nick',
    title: ' ',
    name: { givenName: 'Given', familyName: 'Family' },
    emails: [{ value: 'a@x.example' }],
    [ENTERPRISE_URN]: { employeeNumber: '007', manager: { value: 'm' } },
  });
  it.each<[string, AttributeMap, Partial<ReturnType<typeof draftOf>>]>([
    ['the contract’s way', {}, { key: 'EXT', email: 'a@x.example', firstName: 'Given', lastName: 'Family' }],
    ['a core attribute', { external_id: 'userName', email: 'userName' }, { key: 'bjensen', email: null }],
    ['an enterprise attribute by its short name', { external_id: 'employeeNumber' }, { key: '007' }],
    [
      'and by its whole one, in any case',
      { external_id: `${ENTERPRISE_URN.toUpperCase()}:EMPLOYEENUMBER` },
      { key: '007' },
    ],
    [
      'a sub-attribute',
      { first_name: 'name.familyName', last_name: 'nickname' },
      { firstName: 'Family', lastName: 'Nick' },
    ],
    ['the first of a list', { external_id: 'emails' }, { key: 'a@x.example' }],
    ['what is not there, or blank, gives nothing', { external_id: 'title' }, { key: null }],
    ['the value of a complex one', { external_id: 'manager' }, { key: 'm' }],
  ])('%s', (_, map, expected) => {
    expect(draftOf(whole, map)).toMatchObject(expected);
  });
});

describe('fields of the users API in a resource', () => {
  it('change their attributes, and keep the rest', () => {
    const before = doc({
      userName: 'a@x.example',
      nickName: 'N',
      name: { givenName: 'G', familyName: 'F', formatted: 'G F', middleName: 'M' },
      emails: [
        { value: 'h@x.example', type: 'home' },
        { value: 'a@x.example', type: 'work', primary: true },
      ],
    });
    const after = withFields(before, {
      email: 'new@x.example',
      first_name: 'New',
      last_name: '',
      external_id: 'E',
      status: 'inactive',
    });
    expect(after).toEqual({
      ...before,
      userName: 'new@x.example',
      externalId: 'E',
      active: false,
      name: { givenName: 'New', middleName: 'M' },
      emails: [
        { value: 'new@x.example', type: 'work', primary: true },
        { value: 'h@x.example', type: 'home' },
      ],
    });
    expect(before['name']).toEqual({ givenName: 'G', familyName: 'F', formatted: 'G F', middleName: 'M' });
    expect(withFields(after, { external_id: null })['externalId']).toBeUndefined();
    expect(withFields(before, {})).toEqual(before);
  });
});
