import { leaverStandInOf, standInOf, standsAside } from '../../src/forwarding/stand-in.rules.js';
import type { PlatformUser } from '../../src/forwarding/platform-client/platform.types.js';
import { personOf } from '../support/persons.js';

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
