import {
  consequencesOfRemoval,
  consequencesOfWrite,
} from '../../../../src/directory-sync/users/write/consequences.rules.js';
import { decide, writtenIn } from '../../../../src/directory-sync/users/write/state.rules.js';
import { nextWrite } from '../../../../src/directory-sync/users/write/user-write.rules.js';
import { NO_CONFLICTS, type WriteCase } from '../../../../src/directory-sync/users/write/write-case.js';
import { byRules, caseOf, draft, STAMP, stored } from './support.js';

const after = (more: Partial<WriteCase>, row = stored()) => {
  const about = { ...caseOf(more), row };
  const decision = decide(about, writtenIn(about), NO_CONFLICTS);
  return consequencesOfWrite(row, nextWrite(about, { kind: 'change', draft: about.draft }, decision, STAMP.at));
};

it.each([
  ['another role', { fromRules: byRules('Guest') }, 'role'],
  ['another cost centre', { draft: { ...draft(), costCenter: 'CC-2' } }, 'cost_center'],
  ['deactivation', { draft: draft({ active: false }) }, 'inactive'],
])('names the cause of a ledger line: %s', (_, more, reason) => {
  expect(after(more).seat).toMatchObject({ reason });
});

it('writes no line, ends nothing and forwards nothing when the resource alone changes', () => {
  expect(after({})).toMatchObject({
    seat: null,
    endings: [],
    forward: false,
    change: { kind: 'updated', changed: [] },
  });
});

it('treats letters in another case as the same name', () => {
  const row = stored(caseOf(), { user_name: 'ADA@example.com', email: 'Ada@Example.com' });
  expect(after({}, row).endings.filter(({ kind }) => kind === 'former_links')).toEqual([]);
});

it('does not forward the removal of a user that the platform never knew', () => {
  const row = stored(caseOf(), { ever_active: false, status: 'inactive', seat: 'none' });
  expect(consequencesOfRemoval(row)).toMatchObject({ forward: false, seat: null, change: { kind: 'deleted' } });
});
