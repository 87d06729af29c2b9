import { differenceOf } from '../../../src/forwarding/tasks/drift.step.js';
import { personText, readPlatformUser } from '../../../src/forwarding/platform-user.mapping.js';
import { personOf } from '../../support/persons.js';

const person = personOf('usr_1');

it('does not compare the e-mail when the user has none', () => {
  const account = readPlatformUser({ id: 'hp_1', ...person })!;
  const expected = { subject: 'usr_1', state: 'active' as const, body: personText({ ...person, email: null }) };
  expect(differenceOf(expected, account, true)).toBeNull();
});

it.each<[string, 'active' | 'inactive', object, boolean, string | null]>([
  ['the same', 'active', {}, true, null],
  [
    'another name',
    'active',
    { last_name: 'Other', role: 'Admin' },
    true,
    'Another value on the platform: last_name, role.',
  ],
  ['a field that is not shown', 'active', { role: undefined }, true, null],
  ['inactive there', 'active', {}, false, 'Active here and inactive on the platform.'],
  ['active there alone', 'inactive', {}, true, 'Active on the platform and not here.'],
  ['inactive on both sides, with other values', 'inactive', { last_name: 'Old' }, false, null],
])('compares %s', (_, state, more, isActive, difference) => {
  const account = readPlatformUser({ id: 'hp_1', ...person, ...more })!;
  const expected = { subject: 'usr_1', state, body: personText(person) };
  expect(differenceOf(expected, account, isActive)).toBe(difference);
});
