import {
  roleNames,
  roleOf,
  consoleOf,
  grantableRoles,
  refusedRoles,
  rightSteps,
} from '../../../src/directory-sync/users/role.rules.js';
import { TENANT } from './write/support.js';

describe('role from groups', () => {
  const KNOWN = new Set(['User', 'Admin', 'Observer']);

  describe('the role of a person', () => {
    it.each<[string, string[], string[], string | null, string | null]>([
      ['SCIM roles come first', ['Admin'], ['Observer'], 'User', 'Admin'],
      ['the first of them that is known', ['Boss', 'Observer', 'Admin'], [], 'User', 'Observer'],
      ['unknown ones are as good as none', ['Boss'], ['Observer'], 'User', 'Observer'],
      ['then the rules, in their order', [], ['Observer', 'Admin'], 'User', 'Observer'],
      ['a role that has left the catalogue gives nothing', [], ['Gone', 'Admin'], 'User', 'Admin'],
      ['then the default', [], [], 'User', 'User'],
      ['which may be none yet', [], [], null, null],
      ['names are exact', ['admin'], [], null, null],
    ])('%s', (_, roles, fromRules, defaultRole, expected) => {
      expect(roleOf({ roles, fromRules, defaultRole }, KNOWN)).toBe(expected);
    });
  });

  describe('the names in SCIM roles', () => {
    it.each<[string, { value?: unknown; primary?: unknown }[] | undefined, string[]]>([
      ['none', undefined, []],
      ['in the order sent', [{ value: 'A' }, { value: 'B' }], ['A', 'B']],
      ['the primary one first', [{ value: 'A' }, { value: 'B', primary: true }, { value: 'C' }], ['B', 'A', 'C']],
      ['primary is true or it is not', [{ value: 'A' }, { value: 'B', primary: 'yes' }], ['A', 'B']],
      [
        'JSON in a text, as Entra sends it',
        [{ value: '{"id":"1","value":"Admin","displayName":"Administrator"}' }],
        ['Admin'],
      ],
      ['JSON without a value', [{ value: '{"id":"1"}' }], []],
      ['a brace that begins no JSON', [{ value: '{Admin' }], ['{Admin']],
      ['what is no text', [{ value: 7 }, {}, { value: null }], []],
    ])('%s', (_, roles, expected) => {
      expect(roleNames(roles)).toEqual(expected);
    });
  });
});

describe('console rights', () => {
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
});
