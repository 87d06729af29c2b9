import type { InForce } from '../../../src/tenancy/identity/person.js';
import {
  changeBetween,
  mustForward,
  userEventOf,
  accountRefusal,
  mayAdopt,
  weightiest,
  type LinkedBy,
} from '../../../src/tenancy/identity/user-change.rules.js';

describe('user change', () => {
  const A: InForce = {
    email: 'a@x.example',
    first_name: 'A',
    last_name: '',
    role: 'User',
    external_id: 'E',
    status: 'active',
  };
  const off: InForce = { ...A, status: 'inactive' };

  describe('the change between two states', () => {
    it.each<[string, InForce | null, InForce, boolean, string | null, string[]]>([
      ['created', null, A, false, 'created', ['email', 'first_name', 'role', 'external_id', 'status']],
      ['nothing', A, { ...A }, true, null, []],
      ['a name', A, { ...A, last_name: 'B' }, true, 'updated', ['last_name']],
      ['an e-mail that goes', A, { ...A, email: null }, true, 'updated', ['email']],
      ['several', A, { ...A, role: 'Admin', external_id: null }, true, 'updated', ['role', 'external_id']],
      ['deactivated', A, off, true, 'deactivated', ['status']],
      ['deactivated with another name', A, { ...off, first_name: 'B' }, true, 'deactivated', ['first_name', 'status']],
      ['reactivated', off, A, true, 'reactivated', ['status']],
      ['in force for the first time', off, A, false, 'created', ['status']],
      ['deleted', A, { ...A, status: 'deleted' }, true, 'deleted', ['status']],
      ['an inactive one, changed', off, { ...off, first_name: 'B' }, true, 'updated', ['first_name']],
    ])('%s', (_, before, after, everActive, kind, changed) => {
      const change = changeBetween(before, after, everActive);
      expect(change?.kind ?? null).toBe(kind);
      if (change === null) return;
      expect(change.changed).toEqual(changed);
      expect(change.status).toBe(after.status);
      expect(change.person).toEqual({
        email: after.email,
        first_name: after.first_name,
        last_name: after.last_name,
        role: after.role,
        external_id: after.external_id,
      });
    });
  });

  describe('the decision to forward a change', () => {
    it.each<[string, InForce | null, InForce, boolean, boolean]>([
      ['a new user', null, A, true, true],
      ['a new user without an e-mail', null, { ...A, email: null }, false, false],
      ['a new user and inactive', null, off, false, false],
      ['a change', A, { ...A, first_name: 'B' }, true, true],
      ['an e-mail that arrives', { ...A, email: null }, A, true, true],
      ['a name without an e-mail', { ...A, email: null }, { ...A, email: null, first_name: 'B' }, true, false],
      ['a role without an e-mail', { ...A, email: null }, { ...A, email: null, role: 'Guest' }, true, true],
      ['a role before the platform knew', { ...A, email: null }, { ...A, email: null, role: 'Guest' }, false, false],
      ['deactivated', A, off, true, true],
      ['deactivated before the platform knew', { ...A, email: null }, { ...off, email: null }, false, false],
      ['deleted', A, { ...A, status: 'deleted' }, true, true],
      [
        'deleted before the platform knew',
        { ...A, email: null },
        { ...A, email: null, status: 'deleted' },
        false,
        false,
      ],
    ])('%s', (_, before, after, everActive, expected) => {
      expect(mustForward(changeBetween(before, after, everActive)!, everActive)).toBe(expected);
    });
  });

  test('names the event by the kind of the change', () => {
    expect(userEventOf({ kind: 'created', changed: [] })).toBe('user.created');
    expect(userEventOf({ kind: 'updated', changed: ['email'] as never })).toBe('user.updated');
  });

  test('has no event when the resource changed and the person did not', () => {
    expect(userEventOf({ kind: 'updated', changed: [] })).toBeNull();
  });

  test('has an event when a directory takes over a user without a change', () => {
    expect(userEventOf({ kind: 'updated', changed: [] }, true)).toBe('user.updated');
  });
});

describe('adoption', () => {
  describe('mayAdopt', () => {
    const rows: [LinkedBy, 'in force' | 'out of force', 'comes in' | 'stays out', boolean][] = [
      ['id', 'in force', 'comes in', true],
      ['id', 'out of force', 'comes in', true],
      ['external_id', 'in force', 'comes in', true],
      ['external_id', 'out of force', 'comes in', true],
      ['external_id', 'out of force', 'stays out', true],
      ['user_name', 'in force', 'comes in', true],
      ['user_name', 'out of force', 'comes in', true],
      ['email', 'in force', 'comes in', true],
      ['email', 'in force', 'stays out', true],
      ['email', 'out of force', 'comes in', false],
      ['email', 'out of force', 'stays out', true],
    ];
    it.each(rows)('by %s, a user %s, by a write that %s: %s', (by, state, write, expected) => {
      expect(mayAdopt({ by, inForce: state === 'in force' }, write === 'stays out')).toBe(expected);
    });
  });

  describe('accountRefusal', () => {
    it.each([
      ['active', null, null, null],
      ['active', 'E', 'E', null],
      ['active', '', 'E', null],
      [null, null, 'E', null],
      ['active', 'E', null, 'another_external_id'],
      ['active', 'E', 'F', 'another_external_id'],
      ['inactive', null, null, 'account_inactive'],
      ['inactive', 'F', 'E', 'another_external_id'],
      ['suspended', 'E', 'E', 'account_inactive'],
    ])('a %s account with external_id %s, for a user with %s: %s', (status, external, own, expected) => {
      expect(accountRefusal({ status, externalId: external }, own)).toBe(expected);
    });
  });

  it('names the weightiest ground', () => {
    expect(weightiest(['email', 'external_id'])).toBe('external_id');
    expect(weightiest(['email', 'external_id', 'user_name'])).toBe('user_name');
    expect(weightiest([])).toBeNull();
  });
});
