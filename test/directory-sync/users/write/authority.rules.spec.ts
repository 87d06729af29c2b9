import { isBeyond, keptPart, rightOf } from '../../../../src/directory-sync/users/write/authority.rules.js';
import { caseOf, DIRECTORY, draft, stored, TENANT } from './support.js';

const tenant = { ...TENANT, protectedUserIds: new Set(['usr_owner']) };
const user = (role: string | null, set: string | null = null, id = 'usr_1') => ({ id, role, role_set: set });

it.each([
  ['a plain role', user('User'), 'none'],
  ['the role of admins', user('Admin'), 'admin'],
  ['a role that is set and waits', user('User', 'Admin'), 'admin'],
  ['the owner without a role', user(null, null, 'usr_owner'), 'admin'],
])('a user with %s', (_, row, right) => {
  expect(rightOf(tenant, row)).toBe(right);
});

it.each([
  ['without leave', {}, true],
  ['with may_grant_console', { mayGrantConsole: true }, false],
  ['with a rule for the role', { ruleRoles: ['User', 'Admin'] }, false],
  ['with a rule for a plain role', { ruleRoles: ['User'] }, true],
])('an admin is beyond a directory %s: %s', (_, leave, expected) => {
  expect(isBeyond(tenant, user('Admin'), { ...DIRECTORY, ...leave })).toBe(expected);
});

it('keeps the e-mail of an administrator, and lets the name take effect', () => {
  const row = stored(caseOf(), { role: 'Admin' });
  const written = draft({ email: 'other@example.com', first_name: 'Augusta' });
  const part = keptPart({ ...caseOf({ draft: written }), row }, { kind: 'change', draft: written });
  expect(part?.fields).toContain('emails');
  expect(part?.rest).toMatchObject({ email: 'ada@example.com', firstName: 'Augusta' });
  const released = { kind: 'change', draft: written, trigger: { kind: 'released' } } as const;
  expect(keptPart({ ...caseOf({ draft: written }), row }, released)).toBeNull();
});
