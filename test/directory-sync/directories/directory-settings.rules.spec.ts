import {
  changesPeople,
  NEW_DIRECTORY,
  settingsAfter,
  settingsProblems,
} from '../../../src/directory-sync/directories/directory-settings.rules.js';

it('keeps what a request leaves out, and merges the attribute map', () => {
  const before = settingsAfter(NEW_DIRECTORY, { name: 'Okta', attribute_map: { email: 'userName' } });
  expect(before).toMatchObject({ name: 'Okta', default_role: 'User', attribute_map: { email: 'userName' } });
  const after = settingsAfter(before, { default_role: null, attribute_map: { external_id: 'userName', email: null } });
  expect(after).toMatchObject({ name: 'Okta', default_role: null, attribute_map: { external_id: 'userName' } });
  expect([changesPeople(before, before), changesPeople(before, after)]).toEqual([false, true]);
});

it('keeps a removed attribute with its type, and takes it up again', () => {
  const one = settingsAfter(NEW_DIRECTORY, { custom_attributes: [{ name: 'badge', type: 'string' }] });
  const none = settingsAfter(one, { custom_attributes: [] });
  expect(none.custom_attributes).toEqual([
    { name: 'badge', type: 'string', multi_valued: false, description: '', removed: true },
  ]);
  const again = settingsAfter(none, { custom_attributes: [{ name: 'badge', type: 'string' }] });
  expect(again.custom_attributes).toEqual(one.custom_attributes);
});

it('says by place what is wrong with networks and attributes', () => {
  const known = [
    { directory: 'Okta', attribute: { name: 'level', type: 'integer', multi_valued: false, description: '' } as const },
  ];
  const settings = settingsAfter(NEW_DIRECTORY, {
    allow_from: ['192.0.2.1', 'x'],
    custom_attributes: [
      { name: 'badge', type: 'string' },
      { name: 'level', type: 'string' },
    ],
  });
  expect(settingsProblems(settings, known).map(({ field }) => field)).toEqual([
    'allow_from[1]',
    'custom_attributes[1]',
  ]);
  expect(settingsProblems(NEW_DIRECTORY, known)).toEqual([]);
});
