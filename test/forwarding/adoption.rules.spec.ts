import type { Bound } from '../../src/forwarding/accounts.js';
import {
  adoptByEmail,
  adoptByExternalId,
  sameEmail,
  sharesName,
  leaverStandInOf,
  standInOf,
  standsAside,
} from '../../src/forwarding/adoption.rules.js';
import type { PlatformUser } from '../../src/forwarding/platform-client/platform.client.js';
import { readPlatformUser } from '../../src/forwarding/platform-user.mapping.js';
import { personOf } from '../support/persons.js';

describe('adoption', () => {
  const person = personOf('usr_1', { last_name: '' });

  describe('adoption', () => {
    const bound = (more: Partial<Bound> = {}): Bound => ({
      subject: 'usr_2',
      target_state: 'active',
      pending: false,
      parked: false,
      ...more,
    });
    it.each<[string, Bound | null, string]>([
      ['of no lane', null, 'adopt'],
      ['of an active user', bound(), 'refuse'],
      ['of a lane with a change on its way', bound({ target_state: 'deleted', pending: true }), 'wait'],
      ['of a parked lane', bound({ target_state: 'deleted', pending: true, parked: true }), 'refuse'],
      ['of a deleted user whose lane is idle', bound({ target_state: 'deleted' }), 'adopt'],
      ['of an inactive user whose lane is idle', bound({ target_state: 'inactive' }), 'refuse'],
    ])('by external_id, %s', (_, by, kind) => expect(adoptByExternalId(by).kind).toBe(kind));

    const account = (more: object = {}) =>
      readPlatformUser({ id: 'hp_1', email: 'USR_1@EXAMPLE.com', external_id: null, status: 'active', ...more })!;
    it.each<[string, object, Bound | null, string]>([
      ['of no lane', {}, null, 'adopt'],
      ['that says nothing of a status', { status: undefined }, null, 'adopt'],
      ['with our external_id', { external_id: 'x-usr_1' }, null, 'adopt'],
      ['with an empty external_id', { external_id: '' }, null, 'adopt'],
      ['with another external_id', { external_id: 'other' }, null, 'refuse'],
      ['with another e-mail', { email: 'other@example.com' }, null, 'refuse'],
      ['of a user who left', { status: 'inactive' }, null, 'refuse'],
      ['of another user', {}, bound(), 'refuse'],
      ['of a leaver here', {}, bound({ target_state: 'inactive' }), 'refuse'],
      ['of a leaver on the way out', {}, bound({ target_state: 'deleted', pending: true }), 'wait'],
    ])('by e-mail, %s', (_, more, by, kind) => expect(adoptByEmail(person, account(more), by).kind).toBe(kind));

    it('asks whether an account has a name that the user needs', () => {
      expect(sharesName(person, account({ email: 'other@e.com' }))).toBe(false);
      expect(sharesName(person, account({ email: 'other@e.com', external_id: 'x-usr_1' }))).toBe(true);
      expect(sharesName({ ...person, external_id: null }, account({ email: 'other@e.com' }))).toBe(false);
    });

    it('compares mailboxes without regard to case, and matches no missing e-mail', () => {
      expect(sameEmail('A@b', 'a@B')).toBe(true);
      expect(sameEmail(null, null)).toBe(false);
    });
  });
});

describe('the stand-in of an account', () => {
  it.each<[string, string, string[], boolean]>([
    ['the first of two', 'a', ['b', 'a'], true],
    ['the second of two', 'b', ['a', 'b'], false],
    ['the first of four', 'a', ['b', 'c', 'd', 'a'], true],
    ['the last of four', 'd', ['a', 'b', 'c', 'd'], false],
    ['the last of five', 'e', ['a', 'b', 'c', 'd', 'e'], true],
  ])('chooses who stands aside: %s', (_, subject, circle, expected) => {
    expect(standsAside(subject, circle)).toBe(expected);
  });

  describe('standInOf', () => {
    const person = personOf('usr_1', { email: 'new@x.example', external_id: 'new' });
    const email = 'usr_1@stand-in.invalid';
    const external_id = 'usr_1#stand-in';
    it.each<[string, Partial<PlatformUser>, object | null]>([
      ['another e-mail', { email: 'old@x.example' }, { email }],
      ['another key', { external_id: 'old' }, { external_id }],
      ['both', { email: 'old@x.example', external_id: 'old' }, { email, external_id }],
      ['the names that are wanted', { email: 'NEW@x.example' }, null],
      ['a key that is not shown, beside another e-mail', { email: 'old@x.example', external_id: null }, { email }],
      ['a key that is not shown', { external_id: null }, { external_id }],
    ])('%s', (_, account, expected) => {
      const shown = { ...person, id: 'hp_1', status: 'active', ...account };
      expect(standInOf('usr_1', person, shown)).toEqual(expected);
    });

    it('gives no e-mail to the account of a user without one', () => {
      expect(standInOf('usr_1', { ...person, email: null }, { ...person, id: 'hp_1', status: 'active' })).toBeNull();
    });
  });

  it.each<[string, Partial<PlatformUser>, object | null]>([
    ['the key', { external_id: 'k' }, { external_id: 'usr_2#stand-in' }],
    ['key and e-mail', { external_id: 'k', email: 'A@x.example' }, { external_id: 'usr_2#stand-in' }],
    ['the e-mail', { email: 'A@x.example' }, { email: 'usr_2@stand-in.invalid' }],
    ['neither', {}, null],
  ])('leaverStandInOf replaces one name when the account has %s of the user', (_, account, expected) => {
    const needed = personOf('usr_1', { email: 'a@x.example', external_id: 'k' });
    const shown = { ...needed, id: 'hp_2', status: 'inactive', email: 'b@x.example', external_id: 'other', ...account };
    expect(leaverStandInOf('usr_2', needed, shown)).toEqual(expected);
  });
});
