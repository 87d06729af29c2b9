import { HELD_REASONS } from '../../../../src/directory-sync/users/held/held.dto.js';
import { wordsOfHeld } from '../../../../src/directory-sync/users/explain/explain.rules.js';

it.each([...HELD_REASONS])('explains in plain sentences why a user is held for %s', (reason) => {
  expect(wordsOfHeld(reason)).toMatch(/^[A-Z][^.]+\. [A-Z][^.]+\.$/);
});
