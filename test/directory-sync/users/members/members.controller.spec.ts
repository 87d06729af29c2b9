import {
  memberOf,
  type ListedMember,
  type MemberRow,
} from '../../../../src/directory-sync/users/members/members.controller.js';

const TENANT = {
  ownerUserId: 'usr_owner',
  roles: new Map([
    ['Admin', { takesSeat: true, console: 'admin' as const }],
    ['Auditor', { takesSeat: false, console: 'auditor' as const }],
    ['User', { takesSeat: true, console: 'none' as const }],
  ]),
};
const ROW: MemberRow = {
  id: 'usr_1',
  email: 'ann@example.com',
  first_name: 'Ann',
  last_name: 'Other',
  role: 'Admin',
  role_set: null,
  source: 'scim',
  directory_id: 'dir_1',
  directory_name: 'Okta',
};

it.each<[string, Partial<MemberRow>, Partial<ListedMember>]>([
  ['a role of the directory', {}, { console: 'admin', owner: false, role_from: 'directory' }],
  [
    'a role that the API has set',
    { role_set: 'Admin' },
    { role_from: 'api', directory: { id: 'dir_1', name: 'Okta' } },
  ],
  [
    'a user of the API',
    { directory_id: null, source: 'api', role: 'Auditor' },
    { console: 'auditor', role_from: 'api' },
  ],
  ['a user of a sign-in', { directory_id: null, source: 'sign-in' }, { role_from: 'sign-in', directory: null }],
  [
    'an owner without such a role',
    { id: 'usr_owner', role: 'User' },
    { console: 'admin', owner: true, role_from: null },
  ],
  ['an owner whose role audits', { id: 'usr_owner', role: 'Auditor' }, { console: 'admin', owner: true }],
])('shows %s', (_, row, expected) => expect(memberOf({ ...ROW, ...row }, TENANT)).toMatchObject(expected));
