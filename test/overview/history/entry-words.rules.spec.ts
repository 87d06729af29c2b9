import { wordsOfAudit, wordsOfHold, wordsOfLink } from '../../../src/overview/history/entry-words.rules.js';

const right = { role: 'Admin', console: 'admin' };

it.each<[Record<string, unknown>, string]>([
  [{ event: 'administrator.added', after: right }, 'administers the tenant from now on (role Admin, writes)'],
  [{ event: 'administrator.removed', before: { ...right, keys: [] } }, 'administers the tenant no longer (role Admin, writes)'],
  [{ event: 'administrator.removed', before: { role: 'Audit', console: 'auditor', keys: ['key_1'] } }, 'administers the tenant no longer (role Audit, reads); 1 API key of the user stays'],
  [{ event: 'administrator.removed', before: { role: null, console: 'admin' } }, 'administers the tenant no longer (owner)'],
  [{ event: 'administrator.identity_changed', after: { ...right, fields: ['userName', 'emails'] } }, 'another identity of an administrator: userName, emails'],
  [{ event: 'guard.undone' }, 'brought back by an undo of the departure'],
  [{ event: 'held.released', before: { held: 'guard' } }, 'what was held is released: the guard of the directory'],
  [{ event: 'directory.created' }, 'directory.created'],
])('says what an act of an admin did: %j', (fields, words) => {
  expect(wordsOfAudit(fields)).toBe(words);
}); // prettier-ignore

it('says why a user is held, and of a release or discard what was held', () => {
  expect(wordsOfHold({ event: 'held', reason: 'no_seat' })).toBe('held: no seat is free');
  expect(wordsOfHold({ event: 'discarded', reason: 'guard', user_name: 'ann-1' })).toBe(
    'discarded, was held: the guard of the directory; the userName is ann-1 now',
  );
});

it('says by which value a user was linked', () => {
  expect(wordsOfLink({ by: 'external_id' })).toBe('linked with a resource of the directory by the external_id');
});
