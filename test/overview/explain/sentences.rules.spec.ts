import type { ExplanationBody } from '../../../src/directory-sync/users/explain/explain.dto.js';
import { sentencesOf, type Sentence, type UserFacts } from '../../../src/overview/explain/sentences.rules.js';

type Explained = Parameters<typeof sentencesOf>[0];
const AT = '2026-01-31T12:00:00.000Z';
const FACTS: UserFacts = { activeSince: null, role: null, seatSince: null, request: null, change: null, signIn: null };
const USER = { role: 'User', seat: 'held', status: 'active', held_since: null } as ExplanationBody['user'];

const explained = (user: object = {}, more: object = {}): Explained => ({
  user: { ...USER, ...user },
  left: null,
  held: null,
  refused_roles: [],
  seat_queue: null,
  ...more,
});

/** The sentences about one subject. */
const about = (subject: Sentence['about'], facts: Partial<UserFacts> = {}, of = explained()) =>
  sentencesOf(of, { ...FACTS, ...facts })
    .filter((sentence) => sentence.about === subject)
    .map(({ code, words, since }) => [code, words, since]);

it('has a sentence about each subject, in a fixed order, of a user of whom nothing else is known', () => {
  expect(sentencesOf(explained(), FACTS).map(({ about, code }) => [about, code])).toEqual([
    ['access', 'active'],
    ['role', 'not_recorded'],
    ['seat', 'held'],
    ['request', 'none'],
    ['platform', 'none'],
    ['sign_in', 'none'],
  ]);
});

it('says whether the user is in force, and since when', () => {
  expect(about('access', { activeSince: AT })).toEqual([['active', 'The user is in force.', AT]]);
  const left = { at: AT, cause: { words: 'written by the directory' } };
  expect(about('access', {}, explained({ status: 'inactive' }, { left }))).toEqual([
    ['inactive', 'The user is not in force: written by the directory.', AT],
  ]);
  expect(about('access', {}, explained({ status: 'inactive' }))).toEqual([
    ['never_active', 'The user was never in force.', null],
  ]);
});

it('says why a user is held beside the access', () => {
  const held = { reason: 'no_role', words: 'No role applies.', since: AT };
  expect(about('access', {}, explained({}, { held }))[1]).toEqual(['no_role', 'No role applies.', AT]);
});

it('says where the role comes from, and which role the user did not get', () => {
  const role = { at: AT, origin: { by: 'rule' as const, group: { id: 'grp_1', name: 'Sales' } } };
  expect(about('role', { role })).toEqual([['rule', 'The role is User: role by the rule for the group Sales.', AT]]);
  expect(about('role', { role }, explained({ role: null }))).toEqual([['none', 'The user has no role.', AT]]);
  const refused_roles = [{ role: 'Admin', reason: 'role_needs_admin', words: 'It needs an admin.' }];
  expect(about('role', {}, explained({}, { refused_roles }))[1]).toEqual([
    'role_needs_admin',
    'The directory asks for the role Admin. It needs an admin.',
    null,
  ]);
});

it.each([
  ['held', 'The user holds a seat.', AT],
  ['none', 'The user holds no seat.', AT],
  ['waiting', 'The user waits for a seat.', '2026-02-01T00:00:00.000Z'],
])('says of the seat %s since when', (seat, words, since) => {
  const user = { seat, held_since: '2026-02-01T00:00:00.000Z' };
  expect(about('seat', { seatSince: AT }, explained(user))).toEqual([[seat, words, since]]);
});

it('says what the last write of the IdP did, or why it was refused', () => {
  const request = { at: AT, method: 'PATCH', status: 200, outcome: 'changed', code: null, detail: null };
  expect(about('request', { request })).toEqual([
    ['changed', 'The last write of the IdP was PATCH, answered with 200 (changed).', AT],
  ]);
  const refused = { ...request, status: 400, outcome: null, code: 'invalid_path', detail: 'There is no such path.' };
  expect(about('request', { request: refused })).toEqual([
    ['invalid_path', 'The last write of the IdP was PATCH, answered with 400: There is no such path.', AT],
  ]);
});

it.each([
  ['delivered', null, 'The platform knows the user as of chg_7.'],
  ['pending', null, 'The platform does not know yet: chg_7.'],
  ['parked', 'refused: no', 'The platform has refused, and an admin has to act on chg_7 (refused: no).'],
  ['dismissed', null, 'The platform does not know, since an admin has dismissed chg_7.'],
])('says of a change that is %s what the platform knows', (state, error, words) => {
  const change = { id: 'chg_7', state, since: AT, error };
  expect(about('platform', { change })).toEqual([[state, words, AT]]);
});

it('says how the last sign-in ended', () => {
  const signIn = { at: AT, connection: 'Okta', reason: null, detail: null };
  expect(about('sign_in', { signIn })).toEqual([['success', 'The last sign-in through Okta succeeded.', AT]]);
  const refused = { ...signIn, connection: null, reason: 'account_inactive', detail: 'The account is inactive.' };
  expect(about('sign_in', { signIn: refused })).toEqual([
    ['account_inactive', 'The last sign-in was refused as account_inactive: The account is inactive.', AT],
  ]);
});

it.each([
  [1, 12, '1st of 12'],
  [2, 2, '2nd of 2'],
  [3, 12, '3rd of 12'],
  [11, 30, '11th of 30'],
  [21, 30, '21st of 30'],
])('says the place of a user who waits for a seat: %i of %i', (place, of, words) => {
  const waits = explained({ seat: 'waiting', held_since: AT }, { seat_queue: { place, of } });
  expect(about('seat', {}, waits)).toEqual([['waiting', `The user waits for a seat: ${words} that wait.`, AT]]);
});
