import {
  uniqueValuesOf,
  isExchangeCircle,
  isInConflict,
  type UniqueValues,
} from '../../../../src/directory-sync/users/write/circles.js';
import { caseOf, DIRECTORY, draft, stored } from './support.js';

const claim = (has: string | null, wants: string | null): UniqueValues => ({
  has: { email: has, external_id: null },
  wants: { email: wants, external_id: null },
});

it.each<[string, UniqueValues[], boolean]>([
  ['two who swap', [claim('a', 'b'), claim('b', 'a')], true],
  ['three', [claim('a', 'b'), claim('b', 'c'), claim('c', 'a')], true],
  ['three in the other order', [claim('a', 'c'), claim('b', 'a'), claim('c', 'b')], false],
  ['an open chain', [claim('a', 'b'), claim('b', 'c')], false],
  ['one who wants what is there', [claim('a', 'a')], false],
  ['values that are none', [claim(null, null), claim(null, null)], false],
  ['no user', [], false],
])('finds whether claims are a circle: %s', (_, claims, expected) => {
  expect(isExchangeCircle(claims, 'email')).toBe(expected);
  expect(isExchangeCircle(claims, 'external_id')).toBe(false);
});

it('reads the effective and the requested values of a user, e-mails without regard to case', () => {
  const row = stored(caseOf({ draft: draft({ email: 'New@Example.com' }) }), { email: 'Old@Example.com' });
  expect(uniqueValuesOf(row, DIRECTORY)).toEqual({
    has: { email: 'old@example.com', external_id: 'e-1' },
    wants: { email: 'new@example.com', external_id: 'e-1' },
  });
});

it('reads the wanted values by the attribute map of the directory', () => {
  const directory = { attributeMap: { email: 'userName', external_id: 'userName' } };
  expect(uniqueValuesOf(stored(), directory).wants).toEqual({
    email: 'ada@example.com',
    external_id: 'ada@example.com',
  });
});

it.each([
  ['an active user who is held for an e-mail', { held: 'email_taken' as const }, true],
  ['an active user who is held for a key', { held: 'external_id_taken' as const }, true],
  ['a user who is held for a seat', { held: 'no_seat' as const }, false],
  ['a user who is not held', {}, false],
  ['a new user', { held: 'email_taken' as const, status: 'inactive' as const }, false],
  ['a user who is gone for SCIM', { held: 'email_taken' as const, gone: true }, false],
])('finds users who can be in a circle: %s', (_, more, expected) => {
  expect(isInConflict(stored(caseOf(), more))).toBe(expected);
});
