import {
  editOf,
  keepUnnamed,
  refuseManaged,
  whyAdminOnly,
  type WrittenFields,
  isClaimed,
} from '../../../../src/directory-sync/users/people/people-edit.rules.js';
import { ManagedByDirectory } from '../../../../src/directory-sync/users/users.errors.js';
import { caseOf, DIRECTORY, draft, stored, TENANT } from '../write/support.js';

describe('people edit', () => {
  const row = stored(caseOf({}, null));

  describe('an edit by the users API', () => {
    it('is null when nothing differs', () => {
      expect(editOf(row, { first_name: 'Ada', status: 'active' }, '', null, true)).toBeNull();
    });

    it('names the fields that differ', () => {
      expect(editOf(row, { first_name: 'Augusta', last_name: 'Lovelace' }, '', null, true)).toMatchObject({
        kind: 'change',
        fields: ['first_name'],
        draft: { firstName: 'Augusta', lastName: 'Lovelace' },
      });
    });

    it('uses the new e-mail as userName when the old e-mail was the userName', () => {
      const edit = editOf(row, { email: 'new@example.com' }, 'new@example.com', null, true);
      expect(edit?.draft).toMatchObject({ email: 'new@example.com', userName: 'new@example.com' });
    });

    it('sets the role apart from the resource', () => {
      expect(editOf(row, { role: 'Guest' }, '', null, true)).toMatchObject({ roleSet: 'Guest', fields: ['role'] });
    });

    it('takes back a requested state when a held user is named as it is', () => {
      const held = stored(caseOf({ draft: draft({ first_name: 'Augusta' }) }), { held: 'preview', first_name: 'Ada' });
      expect(editOf(held, { first_name: 'Ada' }, '', DIRECTORY, true)?.fields).toEqual(['first_name']);
      expect(editOf(held, { first_name: 'Ada' }, '', DIRECTORY, false)).toBeNull();
    });
  });

  it('keeps the effective values of fields that a patch does not name', () => {
    const next = draft({ email: 'resource@example.com', first_name: 'Resource' });
    keepUnnamed(next, row, { status: 'inactive' });
    expect(next).toMatchObject({ email: row.email, firstName: row.first_name, key: row.person_external_id });
  });

  describe('fields of a directory', () => {
    it('are refused', () => {
      expect(() => refuseManaged(['email'], row, DIRECTORY)).toThrow(ManagedByDirectory);
    });
    it('leave the role to the users API where the directory gives none', () => {
      expect(() => refuseManaged(['role'], row, DIRECTORY)).not.toThrow();
      expect(() => refuseManaged(['role'], row, { ...DIRECTORY, hasRules: true })).toThrow(ManagedByDirectory);
    });
  });
});

describe('admin only', () => {
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
    [
      'another plain role of the owner',
      user('User', { id: 'usr_owner' }),
      { fields: ['role'], role: 'Observer' },
      true,
    ],
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
});

describe('claimed key', () => {
  const bySignIn = stored(caseOf({}, null), { source: 'sign-in', directory_id: null });

  it.each([
    ['another e-mail', bySignIn, draft({ email: 'other@example.com' }), true],
    ['the same e-mail in other letters', bySignIn, draft({ email: 'ADA@example.com' }), false],
    ['no e-mail', bySignIn, { ...draft(), email: null }, true],
    ['a user of the users API', stored(caseOf({}, null)), draft({ email: 'other@example.com' }), false],
    ['a user of a directory', { ...bySignIn, directory_id: 'dir' }, draft({ email: 'other@example.com' }), false],
  ])('a write with %s: claimed is %#', (_, row, next, expected) => {
    expect(isClaimed(row, next)).toBe(expected);
  });
});
