import { changeEntry, wordsOfChange } from '../../../src/overview/history/change-entry.mapping.js';

const person = { email: 'ann@example.com', first_name: 'Ann', last_name: 'Byron', role: null, external_id: 'x' };
const source = { request_id: 'req_1', surface: 'scim', directory_id: null, actor: {} };
const change = (more: object): Record<string, unknown> =>
  changeEntry({
    event: 'updated',
    user: person,
    source,
    status: 'active',
    before: null,
    cause: null,
    changed: [],
    ...more,
  });
const before = { ...person, last_name: 'King', role: 'User', status: 'active' };

it.each<[string, object, object, string]>([
  [
    'the changed fields alone',
    { changed: ['last_name', 'role'], before },
    { from: { last_name: 'King', role: 'User' }, to: { last_name: 'Byron', role: null } },
    'updated last_name King → Byron, role User → none',
  ],
  [
    'the status of a departure',
    { event: 'deactivated', changed: ['status'], status: 'inactive', before },
    { from: { status: 'active' }, to: { status: 'inactive' } },
    'deactivated',
  ],
  [
    'the status that the event tells, for a change without one',
    { event: 'deleted', changed: ['status'], status: null, before: { ...before, status: null } },
    { from: { status: null }, to: { status: 'deleted' } },
    'deleted',
  ],
  [
    'no former values of a new user',
    { event: 'created', changed: ['email', 'status'] },
    { from: null, to: { email: 'ann@example.com', status: 'active' } },
    'created email ann@example.com',
  ],
  ['nothing', { before }, { from: {}, to: {} }, 'updated, nothing in force'],
])('shows %s', (_, fields, expected, words) => {
  const entry = change(fields);
  expect(entry).toMatchObject({ ...expected, cause: null });
  expect(entry).not.toHaveProperty('before');
  expect(wordsOfChange(entry)).toBe(words);
});

it('shows the cause with its words', () => {
  expect(change({ cause: { kind: 'written' } })).toMatchObject({
    cause: { kind: 'written', words: 'written by the directory' },
  });
});
