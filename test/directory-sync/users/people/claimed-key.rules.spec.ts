import { isClaimed } from '../../../../src/directory-sync/users/people/claimed-key.rules.js';
import { caseOf, draft, stored } from '../write/support.js';

const bySignIn = stored(caseOf({}, null), { source: 'sign-in', directory_id: null });

it.each([
  ['another e-mail', bySignIn, draft({ email: 'other@example.com' }), true],
  ['the same e-mail in other letters', bySignIn, draft({ email: 'ADA@example.com' }), false],
  ['no e-mail', bySignIn, { ...draft(), email: null }, true],
  ['a user of the users API', stored(caseOf({}, null)), draft({ email: 'other@example.com' }), false],
  ['a user of a directory', { ...bySignIn, directory_id: 'dir' }, draft({ email: 'other@example.com' }), false],
])('a write with %s: claimed is %#', (_, row, next, expected) => {
  expect(isClaimed(row, next)).toBe(expected);
});
