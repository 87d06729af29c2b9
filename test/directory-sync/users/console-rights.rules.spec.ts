import {
  consoleOf,
  grantableRoles,
  refusedRoles,
  rightSteps,
} from '../../../src/directory-sync/users/console-rights.rules.js';
import { TENANT } from './write/support.js';

const { roles } = TENANT;
const active = (role: string | null) => ({ status: 'active', role });
const inactive = (role: string | null) => ({ status: 'inactive', role });
const lost = (role: string, console: string) => ({ event: 'administrator.removed', role, console });
const got = (role: string, console: string) => ({ event: 'administrator.added', role, console });

it.each([
  ['a new administrator', null, active('Admin'), [got('Admin', 'admin')]],
  ['a new user without rights', null, active('User'), []],
  ['a new user who is held', null, inactive('Admin'), []],
  ['a promotion', active('User'), active('Admin'), [got('Admin', 'admin')]],
  ['a demotion', active('Admin'), active('User'), [lost('Admin', 'admin')]],
  ['the loss of every role', active('Auditor'), inactive(null), [lost('Auditor', 'auditor')]],
  ['another right', active('Auditor'), active('Admin'), [lost('Auditor', 'auditor'), got('Admin', 'admin')]],
  ['a deactivation', active('Admin'), inactive('Admin'), [lost('Admin', 'admin')]],
  ['a deletion', active('Admin'), null, [lost('Admin', 'admin')]],
  ['a reactivation', inactive('Admin'), active('Admin'), [got('Admin', 'admin')]],
  ['a renamed administrator', active('Admin'), active('Admin'), []],
])('tells %s', (_, before, after, steps) => {
  expect(rightSteps(roles, before, after)).toEqual(steps);
});

it('gives no right to a role that the catalogue does not have', () => {
  expect(consoleOf(roles, 'Recruiter')).toBe('none');
  expect(consoleOf(roles, null)).toBe('none');
});

it('lets a resource give a role that administers only when an admin has allowed it', () => {
  const given = (leave: boolean) => ['User', 'Admin', 'Auditor', 'Recruiter'].map((role) => grantableRoles(roles, leave).has(role)); // prettier-ignore
  expect(given(false)).toEqual([true, false, false, false]);
  expect(given(true)).toEqual([true, true, true, false]);
});

it('names the roles that a resource asks for before the one that it gives', () => {
  expect(refusedRoles(roles, false, ['Recruiter', 'Admin', 'User', 'Auditor'])).toEqual([
    { role: 'Recruiter', reason: 'unknown_role' },
    { role: 'Admin', reason: 'role_needs_admin' },
  ]);
  expect(refusedRoles(roles, true, ['Admin'])).toEqual([]);
});
