import { editOf, keepUnnamed, refuseManaged } from '../../../../src/directory-sync/users/people/people-edit.rules.js';
import { ManagedByDirectory } from '../../../../src/directory-sync/users/users.errors.js';
import { caseOf, DIRECTORY, draft, stored } from '../write/support.js';

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
