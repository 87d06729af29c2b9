import type { Bound } from '../../src/forwarding/accounts.js';
import { adoptByEmail, adoptByExternalId, sameEmail, sharesName } from '../../src/forwarding/adoption.rules.js';
import { readPlatformUser } from '../../src/forwarding/platform-user.mapping.js';
import { personOf } from '../support/persons.js';

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
