import { parseProjection, project, projectionNeeds } from '../../../../src/protocols/scim/resource/project.js';
import { GROUP_TYPE, USER_TYPE, type Resource } from '../../../../src/protocols/scim/schema/resource-types.js';
import { frozen } from '../cases.js';
import { refusalOf } from '../failure.js';

const URN = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const user: Resource = frozen({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', URN],
  id: 'i',
  userName: 'u',
  name: { givenName: 'G', familyName: 'F' },
  emails: [{ value: 'a', type: 'work' }, { value: 'b' }],
  [URN]: { department: 'D', manager: { value: 'm', $ref: 'r' } },
  meta: { resourceType: 'User', created: 'c' },
});
const { schemas, id } = user;

describe('project: attributes', () => {
  it.each<[string[], Resource]>([
    [['userName'], { userName: 'u' }],
    [
      ['USERNAME', 'urn:ietf:params:scim:schemas:core:2.0:user:Name.GivenName'],
      { userName: 'u', name: { givenName: 'G' } },
    ],
    [['name.givenName', 'name'], { name: { givenName: 'G', familyName: 'F' } }],
    [['name', 'name.givenName'], { name: { givenName: 'G', familyName: 'F' } }],
    [['emails.type'], { emails: [{ type: 'work' }] }],
    [['emails.display'], {}],
    [['manager'], { [URN]: { manager: { value: 'm', $ref: 'r' } } }],
    [[`${URN}:manager.value`, `${URN}:department`], { [URN]: { department: 'D', manager: { value: 'm' } } }],
    [[URN, `${URN}:department`], { [URN]: { department: 'D', manager: { value: 'm', $ref: 'r' } } }],
    [['meta.created'], { meta: { created: 'c' } }],
    [['id', 'nothing', 'name.nothing', 'urn:x:User:userName', '__proto__', 'constructor', 'password'], {}],
  ])('%j', (attributes, expected) => {
    expect(project(user, parseProjection(USER_TYPE, attributes))).toEqual({ schemas, id, ...expected });
  });
});

describe('project: excludedAttributes', () => {
  const without = (...keys: string[]): Resource =>
    Object.fromEntries(Object.entries(user).filter(([key]) => !keys.includes(key)));

  it.each<[string[], Resource]>([
    [['emails', ' meta '], without('emails', 'meta')],
    [['id', 'schemas', 'nothing'], user],
    [['name.familyName'], { ...user, name: { givenName: 'G' } }],
    [['name.familyName', 'name.givenName'], without('name')],
    [['emails.value'], { ...user, emails: [{ type: 'work' }] }],
    [[`${URN}:department`], { ...user, [URN]: { manager: { value: 'm', $ref: 'r' } } }],
    [[URN], without(URN)],
    [['department', 'manager.$ref'], { ...user, [URN]: { manager: { value: 'm' } } }],
  ])('%j', (excluded, expected) => {
    expect(project(user, parseProjection(USER_TYPE, undefined, excluded))).toEqual(expected);
  });
});

describe('parseProjection', () => {
  it('means the whole resource when nothing is named', () => {
    expect(parseProjection(USER_TYPE)).toBeNull();
    expect(parseProjection(USER_TYPE, [], [])).toBeNull();
    expect(project(user, null)).toBe(user);
  });

  it('refuses both kinds at once', () => {
    expect(refusalOf(() => parseProjection(USER_TYPE, ['userName'], ['emails'])).scimType).toBe('invalidValue');
  });
});

describe('projectionNeeds', () => {
  it.each([
    [undefined, undefined, true],
    [['members'], undefined, true],
    [['members.value'], undefined, true],
    [['displayName'], undefined, false],
    [['nothing'], undefined, false],
    [undefined, ['MEMBERS'], false],
    [undefined, ['members.display'], true],
    [undefined, ['displayName'], true],
  ])('attributes %j, excludedAttributes %j', (attributes, excluded, needed) => {
    expect(projectionNeeds(parseProjection(GROUP_TYPE, attributes, excluded), 'members')).toBe(needed);
  });
});
