import type { AttributeMap } from '../../../../src/directory-sync/directories/directory.js';
import { draftOf, type UserDocument } from '../../../../src/directory-sync/users/user.mapping.js';
import type { UserRow } from '../../../../src/directory-sync/users/user.row.js';
import { discarded, type GivenRoles } from '../../../../src/directory-sync/users/write/discard.rules.js';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const IN_FORCE = {
  email: 'old@x.example',
  first_name: 'Old',
  last_name: 'Name',
  role: 'User',
  person_external_id: 'OLD',
  status: 'active',
  cost_center: null,
  known_as: null,
} as const;
const row = (doc: UserDocument, more: Partial<UserRow> = {}): UserRow =>
  ({ ...IN_FORCE, user_name: 'ann', doc: JSON.stringify({ userName: 'ann', ...doc }), ...more }) as UserRow;
const SAME: GivenRoles = { byResource: null, byRules: 'User' };
const NAME = { givenName: 'Old', familyName: 'Name' };
const MAIL = [{ value: 'old@x.example', type: 'work', primary: true }];

type Row = [string, UserDocument, Partial<UserRow>, AttributeMap, GivenRoles];
const rows: Row[] = [
  ['nothing but `active`', { active: false, externalId: 'OLD', name: NAME, emails: MAIL }, {}, {}, SAME],
  ['another e-mail', { externalId: 'OLD', name: NAME, emails: [{ value: 'new@x.example' }, { value: 'b@x.example' }] }, {}, {}, SAME],
  ['an e-mail where there was none', { externalId: 'OLD', name: NAME, emails: MAIL }, { email: null }, {}, SAME],
  ['no e-mail where there was one', { externalId: 'OLD', name: NAME }, {}, {}, SAME],
  ['other names', { externalId: 'OLD', name: { formatted: 'New Person' }, emails: MAIL }, {}, {}, SAME],
  ['another key', { externalId: 'NEW', name: NAME, emails: MAIL }, {}, {}, SAME],
  ['a key in place of the userName', { externalId: 'NEW', name: NAME, emails: MAIL }, { person_external_id: 'ann' }, {}, SAME],
  ['a leaver who comes back', { active: true, externalId: 'OLD', name: NAME, emails: MAIL }, { status: 'inactive' }, {}, SAME],
  ['mapped attributes', { externalId: 'S', nickName: 'New', name: NAME, emails: MAIL, [ENTERPRISE]: { employeeNumber: '7' } }, {}, { external_id: 'employeeNumber', first_name: 'nickName' }, SAME],
  ['a mapped name of `name`', { externalId: 'OLD', name: { givenName: 'New', formatted: 'F' }, emails: MAIL, displayName: 'D' }, {}, { first_name: 'name.givenName', last_name: 'displayName' }, SAME],
]; // prettier-ignore

it.each(rows)('%s: the resource has the effective state', (_, doc, more, map, given) => {
  const user = row(doc, more);
  const { doc: next, discardedRole } = discarded(user, map, given);
  const draft = draftOf(next, map);
  expect(discardedRole).toBeNull();
  expect({
    email: draft.email,
    first_name: draft.firstName,
    last_name: draft.lastName,
    external_id: draft.key ?? user.person_external_id,
    status: draft.active ? 'active' : 'inactive',
    userName: draft.userName,
  }).toEqual({
    email: user.email,
    first_name: user.first_name,
    last_name: user.last_name,
    external_id: user.person_external_id,
    status: user.status,
    userName: 'ann',
  });
});

it('takes the effective cost centre', () => {
  const doc = { externalId: 'OLD', name: NAME, emails: MAIL, [ENTERPRISE]: { costCenter: 'new', department: 'D' } };
  expect(discarded(row(doc, { cost_center: 'old' }), {}, SAME).doc[ENTERPRISE]).toEqual({
    costCenter: 'old',
    department: 'D',
  });
});

it('keeps equal values letter for letter', () => {
  const doc = { externalId: 'OLD', name: { ...NAME, formatted: 'F' }, emails: MAIL, title: 'T', nickName: 'N' };
  expect(discarded(row(doc), {}, SAME).doc).toEqual({ userName: 'ann', ...doc, active: true });
});

it('keeps key and e-mail when another userName replaces them', () => {
  const user = row({ userName: 'ann@x.example', active: true }, {
    user_name: 'ann@x.example',
    email: 'ann@x.example',
    person_external_id: 'ann@x.example',
  }); // prettier-ignore
  const { doc } = discarded(user, {}, SAME, 'ann@x.example#1');
  expect(doc).toMatchObject({
    userName: 'ann@x.example#1',
    externalId: 'ann@x.example',
    emails: [{ value: 'ann@x.example' }],
  });
});

describe('the role', () => {
  const base = { externalId: 'OLD', name: NAME, emails: MAIL };
  const roles = [{ value: 'Admin', primary: true }];
  it.each<[string, UserDocument, string | null, GivenRoles, unknown, string | null]>([
    ['of the rules', base, 'User', { byResource: null, byRules: 'Admin' }, undefined, 'Admin'],
    ['that the rules take away', base, 'User', { byResource: null, byRules: null }, undefined, ''],
    ['of the resource', { ...base, roles }, 'Observer', { byResource: 'Admin', byRules: 'User' }, [{ value: 'Observer', primary: true }], null],
    ['of the resource over that of the rules', { ...base, roles }, 'User', { byResource: 'Admin', byRules: 'User' }, undefined, null],
    ['where there was none', { ...base, roles }, null, { byResource: 'Admin', byRules: 'User' }, undefined, 'User'],
    ['as in force', { ...base, roles }, 'Admin', { byResource: 'Admin', byRules: 'User' }, roles, null],
  ])('%s', (_, doc, role, given, expected, left) => {
    const { doc: next, discardedRole } = discarded(row(doc, { role }), {}, given);
    expect([next['roles'], discardedRole]).toEqual([expected, left]);
  }); // prettier-ignore
});

it('gives back the names in force where the written ones were held', () => {
  const known = {
    user_name: 'eve',
    user_name_key: 'eve',
    external_id: 'S',
    email: 'old@x.example',
    key: 'OLD',
    role: 'User',
  };
  const held = row({ externalId: 'T', [ENTERPRISE]: { employeeNumber: 'OLD' } }, { known_as: known });
  expect(discarded(held, { external_id: 'employeeNumber' }, SAME).doc).toMatchObject({
    userName: 'eve',
    externalId: 'S',
  });
});
