import type { Decision } from '../../../../src/tenancy/identity/held.rules.js';
import type { HeldReason } from '../../../../src/tenancy/identity/person.js';
import type { UserRow } from '../../../../src/directory-sync/users/user.row.js';
import {
  isOtherIdentity,
  isNamedAnew,
  knownAfter,
  knownAs,
  signInName,
} from '../../../../src/directory-sync/users/write/known-as.rules.js';
import { draft, stored } from './support.js';

const FORMER = {
  user_name: 'ada.l@example.com',
  user_name_key: 'ada.l@example.com',
  external_id: 'e-0',
  email: 'ada.l@example.com',
  key: 'e-0',
  role: 'User',
};
const inForce = (row: UserRow, status: 'active' | 'inactive', held: HeldReason | null = null): Decision => ({
  inForce: {
    email: row.email, first_name: row.first_name, last_name: row.last_name, role: row.role, external_id: row.person_external_id, status,
  },
  seat: 'none',
  held,
}); // prettier-ignore

describe('knownAs', () => {
  it('is what the row says, or what was kept of the last time in force', () => {
    const row = stored();
    expect(knownAs(row)).toEqual({
      user_name: 'ada@example.com',
      user_name_key: 'ada@example.com',
      external_id: 'e-1',
      email: 'ada@example.com',
      key: 'e-1',
      role: 'User',
    });
    expect(knownAs({ ...row, known_as: FORMER })).toBe(FORMER);
  });

  it('names a user who is out of force as written at a sign-in', () => {
    const row = { ...stored(), known_as: FORMER };
    expect(signInName(row)).toBe('ada.l@example.com');
    expect(signInName({ ...row, status: 'inactive' })).toBe('ada@example.com');
  });
});

describe('knownAfter', () => {
  const renamed = { ...draft(), userName: 'eve', userNameKey: 'eve' };

  it.each<[string, Partial<UserRow>, Decision['inForce']['status'], HeldReason | null, boolean]>([
    ['keeps nothing of a user in force as written', {}, 'active', null, false],
    ['keeps nothing when the reason holds back a value alone', {}, 'active', 'email_taken', false],
    ['keeps the identity while the guard holds the written one', {}, 'active', 'guard', true],
    ['keeps the identity while the directory is in preview', {}, 'active', 'preview', true],
    ['keeps the identity of a user who leaves', {}, 'inactive', null, true],
    ['keeps nothing of a user who never was in force', { status: 'inactive', ever_active: false }, 'inactive', null, false],
  ])('%s', (_, more, status, held, isKept) => {
    const row = { ...stored(), ...more };
    expect(knownAfter(row, renamed, inForce(row, status, held))).toEqual(isKept ? knownAs(row) : null);
  }); // prettier-ignore

  it('forgets the former identity when the written one is the same again', () => {
    const row = stored();
    expect(knownAfter(row, draft(), inForce(row, 'active', 'guard'))).toBeNull();
  });
});

describe('isOtherIdentity', () => {
  it.each<[string, object, object, boolean]>([
    ['the same', {}, {}, false],
    ['another userName', { userName: 'eve', userNameKey: 'eve' }, {}, true],
    ['another externalId', { externalId: 'e-2' }, {}, true],
    ['an externalId that is left out', { externalId: null }, {}, false],
    ['another e-mail', {}, { email: 'eve@example.com' }, true],
    ['the e-mail in other letters', {}, { email: 'ADA@example.com' }, false],
    ['another external_id', {}, { external_id: 'e-2' }, true],
  ])('%s', (_, names, person, is) => {
    const row = stored();
    const written = { ...draft(), ...names };
    expect(isOtherIdentity(row, written, { email: row.email, external_id: row.person_external_id, ...person })).toBe(
      is,
    );
  });

  it('compares with the identity in force and not with a written one that is held', () => {
    const row = { ...stored(), known_as: FORMER };
    expect(isNamedAnew(row, draft())).toBe(true);
    expect(isNamedAnew(row, { userName: '', userNameKey: 'ada.l@example.com', externalId: 'e-0' })).toBe(false);
  });
});
