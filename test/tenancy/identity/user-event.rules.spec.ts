import { userEventOf } from '../../../src/tenancy/identity/user-event.rules.js';

test('names the event by the kind of the change', () => {
  expect(userEventOf({ kind: 'created', changed: [] })).toBe('user.created');
  expect(userEventOf({ kind: 'updated', changed: ['email'] as never })).toBe('user.updated');
});

test('has no event when the resource changed and the person did not', () => {
  expect(userEventOf({ kind: 'updated', changed: [] })).toBeNull();
});

test('has an event when a directory takes over a user without a change', () => {
  expect(userEventOf({ kind: 'updated', changed: [] }, true)).toBe('user.updated');
});
