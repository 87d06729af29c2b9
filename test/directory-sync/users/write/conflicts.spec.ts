import { RefusedNames } from '../../../../src/directory-sync/users/write/conflicts.js';

it('knows the directories whose last creation was refused', () => {
  const refused = new RefusedNames();
  refused.note('a', true);
  refused.note('b', true);
  refused.note('a', false);
  expect([refused.has('a'), refused.has('b')]).toEqual([false, true]);
});

it('forgets the oldest rather than grows', () => {
  const refused = new RefusedNames();
  const ids = Array.from({ length: 20_000 }, (_, i) => `d${i}`);
  for (const id of ids) {
    refused.note('often', true);
    refused.note(id, true);
  }
  expect(ids.filter((id) => refused.has(id))).toEqual(ids.slice(-4999));
  expect(refused.has('often')).toBe(true);
});
