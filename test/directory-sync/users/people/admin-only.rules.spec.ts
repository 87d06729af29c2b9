import { whyAdminOnly, type WrittenFields } from '../../../../src/directory-sync/users/people/admin-only.rules.js';
import { TENANT } from '../write/support.js';

const tenant = { ...TENANT, protectedUserIds: new Set(['usr_owner', 'usr_glass']) };
const user = (role: string | null, more: object = {}) => ({ id: 'usr_1', role, role_set: null, ...more });
const allowed = (row: Parameters<typeof whyAdminOnly>[1], written: WrittenFields) =>
  whyAdminOnly(tenant, row, written) === null;

it.each<[string, Parameters<typeof whyAdminOnly>[1], WrittenFields, boolean]>([
  ['a new administrator', null, { fields: ['role'], role: 'Admin' }, false],
  ['a new auditor', null, { fields: ['role'], role: 'Auditor' }, false],
  ['a new user', null, { fields: ['role'], role: 'User' }, true],
  ['a role that administers', user('User'), { fields: ['role'], role: 'Admin' }, false],
  ['the unchanged role', user('Admin'), { fields: ['first_name'], role: 'Admin' }, true],
  ['a demotion', user('Admin'), { fields: ['role'], role: 'User' }, false],
  ['a role set back that waits', user('User', { role_set: 'Admin' }), { fields: ['role'], role: 'User' }, false],
  ['another plain role of the owner', user('User', { id: 'usr_owner' }), { fields: ['role'], role: 'Observer' }, true],
  ['the e-mail of a break-glass account', user('User', { id: 'usr_glass' }), { fields: ['email'] }, false],
  ['the name of an administrator', user('Admin'), { fields: ['first_name'] }, true],
  ['the e-mail of an administrator', user('Admin'), { fields: ['email'] }, false],
  ['the e-mail of the owner', user('User', { id: 'usr_owner' }), { fields: ['email'] }, false],
  ['the external_id of an administrator', user('Auditor'), { fields: ['external_id'] }, false],
  ['the e-mail of a user who waits for the role', user(null, { role_set: 'Admin' }), { fields: ['email'] }, false],
  ['the e-mail of a user', user('User'), { fields: ['email'] }, true],
  ['the activation of an administrator', user('Admin'), { fields: ['status'], status: 'active' }, false],
  ['the deactivation of an administrator', user('Admin'), { fields: ['status'], status: 'inactive' }, true],
  ['the deletion of an administrator', user('Admin'), { fields: ['status'], status: 'deleted' }, true],
  [
    'the deactivation of the owner',
    user('User', { id: 'usr_owner' }),
    { fields: ['status'], status: 'inactive' },
    false,
  ],
  ['the deletion of the owner', user('User', { id: 'usr_owner' }), { fields: ['status'], status: 'deleted' }, false],
  [
    'the deletion of a break-glass account',
    user('Admin', { id: 'usr_glass' }),
    { fields: ['status'], status: 'deleted' },
    false,
  ],
])('%s', (_, row, written, expected) => {
  expect(allowed(row, written)).toBe(expected);
});
